! use mpi: arrays of handles, memory by pointers, absolute addresses, callbacks, indices, and all constants of buffers.
module t719_callbacks
  implicit none
  integer :: calls = 0
contains
  subroutine add(invec, inoutvec, len, datatype)
    integer :: len, datatype, size, ierr
    integer :: invec(len), inoutvec(len)
    inoutvec = inoutvec + invec
  end subroutine add
  subroutine drop(comm, keyval, value, extra, ierror)
    use mpi
    integer :: comm, keyval, ierror, size
    integer(MPI_ADDRESS_KIND) :: value, extra
    calls = calls + 1
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  end subroutine drop
end module t719_callbacks

program t719
  use mpi
  use t719_callbacks
  use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
  implicit none
  integer :: ierr, rank, nprocs, i, n, op, keyval, win, t, u, v(8), w(8), q(4), indices(4)
  integer :: st(MPI_STATUS_SIZE, 4), one(MPI_STATUS_SIZE), counts(8), types(8), displs(8), ints(16)
  integer :: subtypes(4), left, right, info, file
  integer(MPI_ADDRESS_KIND) :: where(2), addresses(4), size, attr
  integer(MPI_OFFSET_KIND) :: length
  logical :: flag, periods(2)
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  character(len=12) :: text
  type(c_ptr) :: memory
  integer, pointer :: shared(:)

  call MPI_Init_thread(MPI_THREAD_SINGLE, n, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs, ierr)
  right = mod(rank + 1, nprocs)
  left = mod(rank + nprocs - 1, nprocs)
  call MPI_Get_processor_name(name, n, ierr)

  ! Requests: some of an array, by index; the last one in the row first.
  q = MPI_REQUEST_NULL
  do i = 1, 10
    call MPI_Irecv(v, 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, q(4), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, q(2), ierr)
    call MPI_Wait(q(2), MPI_STATUS_IGNORE, ierr)
    call MPI_Waitsome(4, q, n, indices, st, ierr)
    if (n /= 1 .or. indices(1) /= 4 .or. st(MPI_SOURCE, 1) /= left .or. v(1) /= left) stop 9
  end do
  call MPI_Recv_init(v, 1, MPI_INTEGER, MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, q(1), ierr)
  call MPI_Send_init(rank, 1, MPI_INTEGER, right, 50, MPI_COMM_WORLD, q(2), ierr)
  call MPI_Startall(2, q, ierr)
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, ierr)
  call MPI_Request_free(q(1), ierr)
  call MPI_Request_free(q(2), ierr)
  call MPI_Irecv(v, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, q(3), ierr)
  call MPI_Waitany(4, q, n, one, ierr)
  if (n /= 3) stop 9

  ! Arrays of datatypes; what a datatype was made of; absolute addresses.
  call MPI_Get_address(v(1), where(1), ierr)
  call MPI_Get_address(v(5), where(2), ierr)
  call MPI_Type_create_struct(2, [1, 2], where, [MPI_INTEGER, MPI_REAL], t, ierr)
  call MPI_Type_commit(t, ierr)
  call MPI_Bcast(MPI_BOTTOM, 1, t, 0, MPI_COMM_WORLD, ierr)
  call MPI_Type_get_envelope(t, n, i, u, w(1), ierr)
  call MPI_Type_get_contents(t, n, i, u, ints, addresses, subtypes, ierr)
  if (u /= 2 .or. ints(1) /= 2) stop 9
  call MPI_Type_free(t, ierr)
  counts = 1
  types = MPI_INTEGER
  displs = [(4 * i, i = 0, 7)]
  v = rank
  call MPI_Alltoallw(v, counts, displs, types, w, counts, displs, types, MPI_COMM_WORLD, ierr)
  if (w(nprocs) /= nprocs - 1) stop 9
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, w, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)

  ! Callbacks.
  call MPI_Op_create(add, .true., op, ierr)
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  if (v(1) /= nprocs * (nprocs - 1) / 2) stop 9
  call MPI_Op_free(op, ierr)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, keyval, 0_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_set_attr(MPI_COMM_SELF, keyval, 3_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_get_attr(MPI_COMM_SELF, keyval, attr, flag, ierr)
  if (.not. flag .or. attr /= 3) stop 9
  call MPI_Comm_delete_attr(MPI_COMM_SELF, keyval, ierr)
  call MPI_Comm_free_keyval(keyval, ierr)
  if (calls /= 1) stop 9
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attr, flag, ierr)
  if (.not. flag) stop 9

  ! Logicals, weights.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [nprocs], [.true.], .false., t, ierr)
  call MPI_Cart_get(t, 1, indices, periods, w, ierr)
  if (.not. periods(1)) stop 9
  call MPI_Comm_free(t, ierr)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
       MPI_INFO_NULL, .false., t, ierr)
  call MPI_Comm_free(t, ierr)

  ! Memory: its address as a pointer, and as an integer.
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'no_locks  ', ' false', ierr)
  call MPI_Info_get(info, 'no_locks', 12, text, flag, ierr)
  if (.not. flag) stop 9
  size = 64
  call MPI_Win_allocate(size, 4, info, MPI_COMM_WORLD, memory, win, ierr)
  call c_f_pointer(memory, shared, [16])
  call MPI_Win_fence(0, win, ierr)
  call MPI_Put(rank, 1, MPI_INTEGER, right, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win, ierr)
  if (shared(1) /= left) stop 9
  call MPI_Win_free(win, ierr)
  call MPI_Alloc_mem(size, MPI_INFO_NULL, memory, ierr)
  call c_f_pointer(memory, shared, [16])
  call MPI_Free_mem(shared, ierr)
  call MPI_Info_free(info, ierr)

  call MPI_File_open(MPI_COMM_WORLD, 't719.data', ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
       MPI_INFO_NULL, file, ierr)
  length = 4 * rank
  call MPI_File_write_at(file, length, rank, 1, MPI_INTEGER, one, ierr)
  call MPI_Get_count(one, MPI_INTEGER, n, ierr)
  if (n /= 1) stop 9
  call MPI_File_close(file, ierr)

  call MPI_Finalize(ierr)
  print *, 'rank', rank, 'fine'
end program t719
