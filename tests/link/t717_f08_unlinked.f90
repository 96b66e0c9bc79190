! Only calls that the tracer has an entry point for: linked as needed, the program lacks the Fortran library.
program t717
  use mpi_f08
  implicit none
  integer :: rank
  type(MPI_Request) :: q
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Ibarrier(MPI_COMM_WORLD, q)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  if (MPI_Aint_add(40_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND) /= 42 .or. MPI_Wtime() < 0) stop 9
  call MPI_Finalize()
  print *, 'rank', rank, 'fine'
end program t717
