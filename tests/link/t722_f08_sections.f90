! use mpi_f08: buffers are sections of arrays, with gaps, of any rank. MPICH's Fortran layer makes datatypes of them; the
! call is the program's all the same, with its count and datatype.
program t722
  use mpi_f08
  implicit none
  integer :: rank, nprocs, right, left, i, n, at
  integer, target :: m(4, 6), c(3, 4, 5), w(8), wide(2, 2, 8)
  integer, allocatable :: a(:, :)
  integer, pointer :: p(:)
  double precision :: d(3, 4)
  character(len=8) :: word(4)
  character :: room(256)
  integer(MPI_ADDRESS_KIND) :: where_is, bytes
  integer(MPI_OFFSET_KIND) :: off
  integer :: counts(4), displs(4)
  type(MPI_Datatype) :: mine, types(4), absolute
  type(MPI_Request) :: q(4)
  type(MPI_Status) :: st
  type(MPI_Win) :: win
  type(MPI_File) :: f

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs)
  right = mod(rank + 1, nprocs)
  left = mod(rank + nprocs - 1, nprocs)

  ! Rows: one rank's first becomes the next one's second.
  m = rank
  if (mod(rank, 2) == 0) then
     call MPI_Send(m(1, :), 6, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
     call MPI_Recv(m(2, :), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, st)
  else
     call MPI_Recv(m(2, :), 6, MPI_INTEGER, left, 1, MPI_COMM_WORLD, st)
     call MPI_Send(m(1, :), 6, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
  end if
  if (any(m(2, :) /= left) .or. any(m(1, :) /= rank) .or. st%MPI_SOURCE /= left) stop 9
  call MPI_Get_count(st, MPI_INTEGER, n)
  if (n /= 6) stop 9

  ! Steps, more dimensions, pointers, what lies side by side, one element, text; without waiting.
  c = rank
  p => m(3, 2:6:2)
  do i = 1, 5
     call MPI_Irecv(c(2, 1:4:3, 1:5:2), 6, MPI_INTEGER, left, i, MPI_COMM_WORLD, q(1))
     call MPI_Irecv(p, 3, MPI_INTEGER, left, 10 + i, MPI_COMM_WORLD, q(2), ierror=n)
     call MPI_Isend(c(1, ::3, ::2), 6, MPI_INTEGER, right, i, MPI_COMM_WORLD, q(3))
     call MPI_Issend(m(1, :3), 3, MPI_INTEGER, right, 10 + i, MPI_COMM_WORLD, q(4))
     call MPI_Waitall(4, q, MPI_STATUSES_IGNORE)
     if (c(2, 4, 5) /= left .or. p(3) /= left) stop 9
  end do
  word = 'sections'
  call MPI_Sendrecv(word(:)(2:3), 8, MPI_CHARACTER, right, 2, c(3, :, 1), 2, MPI_INTEGER, left, 2, MPI_COMM_WORLD, &
       MPI_STATUS_IGNORE)
  call MPI_Sendrecv_replace(m(4, ::2), 3, MPI_INTEGER, right, 3, left, 3, MPI_COMM_WORLD, st)
  if (m(4, 1) /= left .or. m(4, 2) /= rank) stop 9

  ! The same one again, where only columns have gaps between them; persistent; of a type of the program's own
  ! (as long as an element: MPICH 4.0 takes longer ones from wrong places).
  allocate (a(5, 4), source=rank)
  call MPI_Type_dup(MPI_INTEGER, mine)
  call MPI_Type_commit(mine)
  call MPI_Send_init(a(1:2, :), 8, mine, right, 4, MPI_COMM_WORLD, q(1))
  call MPI_Recv_init(a(4:5, :), 8, mine, left, 4, MPI_COMM_WORLD, q(2))
  do i = 1, 3
     call MPI_Startall(2, q)
     call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
     if (any(a(4:5, :) /= left) .or. any(a(3, :) /= rank)) stop 9
  end do
  call MPI_Request_free(q(1))
  call MPI_Request_free(q(2))

  ! Collectives; MPI_IN_PLACE and MPI_BOTTOM have no descriptors that tell much.
  d = rank
  call MPI_Bcast(d(2, :), 4, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD)
  if (any(d(2, :) /= 1) .or. any(d(1, :) /= rank)) stop 9
  w = -1
  w(1 + rank) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, 1, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(w(:nprocs) /= [(i, i = 0, nprocs - 1)])) stop 9
  call MPI_Allreduce(MPI_IN_PLACE, w(3), 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call MPI_Gather(m(2, 1:6:5), 2, MPI_INTEGER, wide(:, 1, :), nprocs / 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Iscatter(w(::2), 1, MPI_INTEGER, w(8), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, q(1))
  call MPI_Wait(q(1), st)
  counts = 1
  displs = [(4 * i, i = 3, 0, -1)]
  types = MPI_INTEGER
  call MPI_Alltoallw(w, counts, displs, types, m(:, 1), counts, displs, types, MPI_COMM_WORLD)
  call MPI_Alltoallw(MPI_IN_PLACE, counts, displs, types, m(:, 1), counts, displs, types, MPI_COMM_WORLD)
  call MPI_Get_address(w(2), where_is)
  call MPI_Type_create_hindexed_block(1, 2, [where_is], MPI_INTEGER, absolute)
  call MPI_Type_commit(absolute)
  call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD)
  call MPI_Type_free(absolute)

  ! Packing; a window; a file.
  at = 0
  call MPI_Pack(m(1, :), 6, MPI_INTEGER, room, 256, at, MPI_COMM_WORLD)
  at = 0
  call MPI_Unpack(room, 256, at, w, 6, MPI_INTEGER, MPI_COMM_WORLD)
  bytes = 4 * size(w)
  call MPI_Win_create(w, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(m(1, ::2), 3, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  if (any(w(2:3) /= left)) stop 9
  call MPI_Win_free(win)
  call MPI_File_open(MPI_COMM_WORLD, 't722.data', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, f)
  off = rank * 24
  call MPI_File_write_at(f, off, m(1, :), 6, MPI_INTEGER, st)
  call MPI_File_read_at_all(f, off, c(1, 1, :3), 3, MPI_INTEGER, MPI_STATUS_IGNORE)
  if (any(c(1, 1, 2:3) /= rank)) stop 9
  call MPI_File_close(f)

  call MPI_Type_free(mine)
  call MPI_Finalize()
  if (rank == 0) print *, 'fine'
end program t722
