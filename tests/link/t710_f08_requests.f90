! use mpi_f08: completion. Indices count from 1 here and from 0 in the trace; statuses are asked for or
! not; flags are logicals; ierror is there or not.
program t710
  use mpi_f08
  implicit none
  integer :: rank, nprocs, right, left, v, got(4), idx, n, i, ierr, indices(4), at, provided
  logical :: flag
  type(MPI_Request) :: q(4)
  type(MPI_Status) :: one, many(4)
  type(MPI_Message) :: m

  call MPI_Initialized(flag)
  if (flag) stop 9
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  if (ierr /= MPI_SUCCESS) stop 9
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  right = mod(rank + 1, nprocs)
  left = mod(rank + nprocs - 1, nprocs)
  v = rank

  ! Some versions of MPICH return C's indices here; the trace tells the right ones all the same.
  ! Waitany: the third one of four is the only one that is active.
  q = MPI_REQUEST_NULL
  call MPI_Irecv(got(1), 1, MPI_INTEGER, left, 1, MPI_COMM_WORLD, q(3))
  call MPI_Send(v, 1, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
  call MPI_Waitany(4, q, idx, one)
  if ((idx /= 3 .and. idx /= 2) .or. one%MPI_SOURCE /= left .or. q(3) /= MPI_REQUEST_NULL) stop 9
  call MPI_Waitany(4, q, idx, MPI_STATUS_IGNORE, ierr)
  if (idx /= MPI_UNDEFINED .or. ierr /= MPI_SUCCESS) stop 9

  ! Testany, until it says yes; then once more with nothing left.
  call MPI_Irecv(got(1), 1, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, q(2))
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Testany(2, q, idx, flag, one)
  if (flag .or. idx /= MPI_UNDEFINED) stop 9
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Send(v, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD)
  call MPI_Wait(q(2), MPI_STATUS_IGNORE)
  call MPI_Testany(2, q, idx, flag, one, ierr)
  if (.not. flag .or. idx /= MPI_UNDEFINED) stop 9

  ! Waitsome and Testsome: the second and the fourth, the fourth.
  call MPI_Irecv(got(2), 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, q(2))
  call MPI_Irecv(got(4), 1, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, q(4))
  call MPI_Waitsome(4, q, n, indices, many)
  if (n /= 2 .or. indices(2) - indices(1) /= 2) stop 9
  call MPI_Irecv(got(4), 1, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, q(4), ierr)
  call MPI_Testsome(4, q, n, indices, MPI_STATUSES_IGNORE)
  if (n /= 1) stop 9
  call MPI_Testsome(4, q, n, indices, many)
  if (n /= MPI_UNDEFINED) stop 9

  ! Persistent ones; those to be started need not lie side by side.
  call MPI_Recv_init(got(2), 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, q(2))
  call MPI_Send_init(v, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, q(4), ierr)
  call MPI_Startall(2, q(2:4:2))
  call MPI_Waitall(4, q, many)
  if (many(2)%MPI_SOURCE /= left .or. got(2) /= left) stop 9
  call MPI_Start(q(4))
  call MPI_Start(q(2))
  call MPI_Wait(q(4), MPI_STATUS_IGNORE)
  call MPI_Wait(q(2), one)
  call MPI_Request_get_status(q(4), flag, one)
  if (.not. flag) stop 9
  call MPI_Request_free(q(2))
  call MPI_Request_free(q(4), ierr)

  ! Arrays of statuses.
  do i = 1, 10
     call MPI_Irecv(got(1), 1, MPI_INTEGER, left, 10 + i, MPI_COMM_WORLD, q(1))
     call MPI_Isend(v, 1, MPI_INTEGER, right, 10 + i, MPI_COMM_WORLD, q(2))
     if (mod(i, 2) == 0) then
        call MPI_Waitall(2, q, many)
     else
        call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
     end if
     if (got(1) /= left) stop 9
  end do
  call MPI_Get_count(many(1), MPI_INTEGER, n)
  if (n /= 1 .or. many(1)%MPI_TAG /= 20) stop 9
  call MPI_Testall(2, q, flag, many)
  call MPI_Test(q(1), flag, MPI_STATUS_IGNORE)
  if (.not. flag) stop 9

  ! Probes and messages.
  call MPI_Isend(v, 1, MPI_INTEGER, right, 30, MPI_COMM_WORLD, q(1))
  call MPI_Probe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, one)
  if (one%MPI_SOURCE /= left) stop 9
  call MPI_Iprobe(left, 30, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
  if (.not. flag) stop 9
  call MPI_Mprobe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, m, MPI_STATUS_IGNORE)
  call MPI_Mrecv(got(1), 1, MPI_INTEGER, m, one)
  call MPI_Wait(q(1), one)
  call MPI_Improbe(left, 31, MPI_COMM_WORLD, flag, m, one)
  if (flag) stop 9

  ! Cancelled.
  call MPI_Irecv(got(1), 1, MPI_INTEGER, left, 40, MPI_COMM_WORLD, q(1))
  call MPI_Cancel(q(1))
  call MPI_Wait(q(1), one)
  call MPI_Test_cancelled(one, flag)
  if (.not. flag) stop 9

  at = 2
  call MPI_Pcontrol(at)
  call MPI_Finalized(flag)
  call MPI_Finalize(ierr)
  if (ierr /= MPI_SUCCESS) stop 9
  call MPI_Finalized(flag)
  if (.not. flag) stop 9
  print *, 'rank', rank, 'fine'
end program t710
