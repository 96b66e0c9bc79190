! use mpi_f08: an error handler calls what the call that failed calls, before MPICH's Fortran layer has come to C's function:
! of a section of an array it makes a datatype first. Each call is there once, and the program's own.
module handlers
  use mpi_f08
  implicit none
  integer :: nr = 0, kind = 0
contains
  subroutine handler(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    integer :: x(4)
    nr = nr + 1
    x = 0
    select case (kind)
    case (1)
       call MPI_Send(x, 1, MPI_INTEGER, MPI_PROC_NULL, 100 * kind + nr, MPI_COMM_SELF)
       call MPI_Send(x, 2, MPI_INTEGER, MPI_PROC_NULL, 100 * kind + nr, MPI_COMM_SELF)
    case (2)
       call by_mpif(100 * kind + nr)
    case (3)
       call PMPI_Send(x, 4, MPI_INTEGER, MPI_PROC_NULL, 100 * kind + nr, MPI_COMM_SELF)
    end select
  end subroutine handler
end module handlers

subroutine by_mpif(tag)
  implicit none
  include 'mpif.h'
  integer :: tag, x(4), ierror
  x = 0
  call MPI_Send(x, 3, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_SELF, ierror)
end subroutine by_mpif

program t724
  use handlers
  integer, target :: m(4, 6)
  integer :: i, error
  type(MPI_Errhandler) :: e
  call MPI_Init()
  m = 1
  call MPI_Comm_create_errhandler(handler, e)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, e)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, e)
  do i = 3, 0, -1
     kind = i
     nr = 0
     call MPI_Send(m(1, :), 6, MPI_DATATYPE_NULL, 0, 10 + i, MPI_COMM_WORLD, error)
     call MPI_Send(m(1, :), 6, MPI_INTEGER, 99, 20 + i, MPI_COMM_WORLD, error)
     call MPI_Send(m(1, :), 6, MPI_INTEGER, MPI_PROC_NULL, 30 + i, MPI_COMM_WORLD, error)
     print *, i, nr
  end do
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  call MPI_Errhandler_free(e)
  call MPI_Finalize()
end program t724
