! use mpi_f08: what callbacks call, with and without a choice buffer, is nested, and once each.
module t716_callbacks
  use mpi_f08
  implicit none
  integer :: got = 0
contains
  subroutine talk(comm)
    type(MPI_Comm) :: comm
    type(MPI_Request) :: q
    integer :: rank
    call MPI_Comm_rank(MPI_COMM_SELF, rank)
    call MPI_Isend(rank, 1, MPI_INTEGER, 0, 6, MPI_COMM_SELF, q)
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call MPI_Wait(q, MPI_STATUS_IGNORE)
  end subroutine talk
  subroutine delete(comm, keyval, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: value, extra
    call talk(comm)
    ierror = MPI_SUCCESS
  end subroutine delete
  subroutine fault(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    call talk(comm)
  end subroutine fault
  subroutine query(extra, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    type(MPI_Status) :: status
    integer :: ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, 3)
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 0
    status%MPI_TAG = 77
    ierror = MPI_SUCCESS
  end subroutine query
  subroutine release(extra, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine release
  subroutine cancel(extra, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine cancel
end module t716_callbacks

program t716
  use mpi_f08
  use t716_callbacks
  implicit none
  integer :: keyval, ierr, n
  integer(MPI_ADDRESS_KIND) :: extra
  type(MPI_Comm) :: c
  type(MPI_Errhandler) :: e
  type(MPI_Request) :: q
  type(MPI_Status) :: st

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_WORLD, c)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(c, keyval, 1_MPI_ADDRESS_KIND)
  call MPI_Comm_delete_attr(c, keyval)
  call MPI_Comm_set_attr(c, keyval, 2_MPI_ADDRESS_KIND)
  call MPI_Comm_create_errhandler(fault, e)
  call MPI_Comm_set_errhandler(c, e)
  call MPI_Probe(77, 0, c, MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_free(c)
  extra = 5
  call MPI_Grequest_start(query, release, cancel, extra, q)
  call MPI_Grequest_complete(q)
  call MPI_Wait(q, st)
  call MPI_Get_count(st, MPI_INTEGER, n)
  if (n /= 3 .or. st%MPI_TAG /= 77) stop 9
  call MPI_Finalize()
  print *, 'fine'
end program t716
