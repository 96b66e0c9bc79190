! A session without MPI_Init, from mpi_f08, and an index that is asked for in it.
program t715
  use mpi_f08
  implicit none
  type(MPI_Session) :: session
  type(MPI_Group) :: group
  type(MPI_Comm) :: c
  type(MPI_Request) :: q(2)
  type(MPI_Status) :: st
  integer :: n, idx, len, rank, got
  character(len=64) :: name
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session)
  call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n)
  len = 64
  call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, len, name)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD', group)
  call MPI_Comm_create_from_group(group, 'org.t715', MPI_INFO_NULL, MPI_ERRORS_RETURN, c)
  call MPI_Group_free(group)
  call MPI_Comm_rank(c, rank)
  q = MPI_REQUEST_NULL
  call MPI_Irecv(got, 1, MPI_INTEGER, MPI_PROC_NULL, 0, c, q(2))
  call MPI_Waitany(2, q, idx, st)
  if (q(2) /= MPI_REQUEST_NULL) stop 9
  call MPI_Barrier(c)
  call MPI_Comm_disconnect(c)
  call MPI_Session_finalize(session)
  print *, 'fine'
end program t715
