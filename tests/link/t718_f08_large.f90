! use mpi_f08: large counts, which a routine of their own takes.
program t718
  use mpi_f08
  implicit none
  integer :: ierr
  integer(MPI_COUNT_KIND) :: large
  type(MPI_Datatype) :: t
  call MPI_Init()
  call MPI_Type_contiguous(3_MPI_COUNT_KIND, MPI_INTEGER, t)
  call MPI_Type_size(t, large, ierr)
  if (large /= 12) stop 9
  call MPI_Type_free(t)
  call MPI_Finalize()
  print *, 'fine'
end program t718
