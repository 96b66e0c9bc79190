! Ends by a fault of its own, of which Fortran's runtime prints a backtrace.
program end_fortran
  use mpi
  implicit none
  integer :: i, ierr, total
  integer, pointer :: nowhere
  call MPI_Init(ierr)
  do i = 1, 20
    call MPI_Allreduce(i, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  end do
  nullify(nowhere)
  nowhere = total
  call MPI_Finalize(ierr)
end program
