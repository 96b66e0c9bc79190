! use mpi_f08: handles of all kinds, strings, arrays, logicals, callbacks.
module t711_callbacks
  use mpi_f08
  implicit none
  integer :: copies = 0, deletions = 0, faults = 0
contains
  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [len])
    call c_f_pointer(inoutvec, b, [len])
    b = a + b
  end subroutine add
  subroutine copy(oldcomm, keyval, extra, value_in, value_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    copies = copies + 1
    value_out = value_in + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine copy
  subroutine delete(comm, keyval, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror, size
    integer(MPI_ADDRESS_KIND) :: value, extra
    deletions = deletions + 1
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  end subroutine delete
  subroutine fault(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    faults = faults + 1
  end subroutine fault
end module t711_callbacks

program t711
  use mpi_f08
  use t711_callbacks
  use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
  implicit none
  integer :: rank, nprocs, ierr, n, v, total, keyval, coords(2), dims(2), unit_size
  integer :: ranges(3, 1), weights(1)
  logical :: flag, periods(2), remain(2)
  character(len=40) :: text
  character(len=MPI_MAX_ERROR_STRING) :: message
  character(len=MPI_MAX_OBJECT_NAME) :: name
  type(MPI_Comm) :: c, d, cart, part, graph
  type(MPI_Group) :: world, some
  type(MPI_Datatype) :: t, s
  type(MPI_Op) :: op
  type(MPI_Info) :: info, again
  type(MPI_Win) :: win
  type(MPI_File) :: f
  type(MPI_Errhandler) :: e
  type(MPI_Request) :: q
  type(c_ptr) :: memory
  integer, pointer :: shared(:)
  integer, asynchronous :: box = 0
  integer(MPI_ADDRESS_KIND) :: attr, lb, extent
  integer(MPI_OFFSET_KIND) :: size

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nprocs)

  ! Communicators, groups, names.
  call MPI_Comm_split(MPI_COMM_WORLD, merge(1, MPI_UNDEFINED, rank == 0), 0, c)
  if (rank > 0 .and. c /= MPI_COMM_NULL) stop 9
  if (rank == 0) call MPI_Comm_free(c)
  call MPI_Comm_dup(MPI_COMM_WORLD, c)
  call MPI_Comm_set_name(c, '  a copy of the world   ', ierr)
  call MPI_Comm_get_name(c, name, n)
  if (name /= 'a copy of the world' .or. n /= 19) stop 9
  call MPI_Comm_group(c, world)
  ranges(:, 1) = [0, nprocs - 1, 2]
  call MPI_Group_range_incl(world, 1, ranges, some)
  call MPI_Group_size(some, n)
  call MPI_Comm_create(c, some, d)
  if (d /= MPI_COMM_NULL) call MPI_Comm_free(d)
  call MPI_Comm_compare(c, MPI_COMM_WORLD, n)
  if (n /= MPI_CONGRUENT) stop 9
  call MPI_Comm_idup(c, d, q)
  call MPI_Wait(q, MPI_STATUS_IGNORE)
  call MPI_Comm_test_inter(d, flag)
  if (flag) stop 9
  call MPI_Comm_free(d)
  call MPI_Group_free(some)
  call MPI_Group_free(world)

  ! Topologies: logical arrays, weights or none.
  dims = 0
  call MPI_Dims_create(nprocs, 2, dims)
  call MPI_Cart_create(c, 2, dims, [.true., .false.], .false., cart)
  call MPI_Cart_get(cart, 2, dims, periods, coords)
  if (.not. periods(1) .or. periods(2)) stop 9
  remain = [.false., .true.]
  call MPI_Cart_sub(cart, remain, part)
  call MPI_Cart_shift(cart, 1, 1, n, v)
  call MPI_Comm_free(part)
  call MPI_Comm_free(cart)
  call MPI_Dist_graph_create_adjacent(c, 1, [mod(rank + nprocs - 1, nprocs)], MPI_UNWEIGHTED, &
       1, [mod(rank + 1, nprocs)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph)
  call MPI_Dist_graph_neighbors_count(graph, n, v, flag)
  if (flag) stop 9
  call MPI_Comm_free(graph)
  weights = 5
  call MPI_Dist_graph_create_adjacent(c, 1, [mod(rank + nprocs - 1, nprocs)], weights, &
       1, [mod(rank + 1, nprocs)], weights, MPI_INFO_NULL, .false., graph, ierr)
  call MPI_Dist_graph_neighbors_count(graph, n, v, flag)
  if (.not. flag) stop 9
  call MPI_Comm_free(graph)

  ! Datatypes.
  call MPI_Type_create_struct(2, [1, 2], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], [MPI_INTEGER, MPI_REAL], t)
  call MPI_Type_commit(t)
  call MPI_Type_get_extent(t, lb, extent)
  if (extent /= 16) stop 9
  call MPI_Type_size(t, unit_size)
  if (unit_size /= 12) stop 9
  call MPI_Type_set_name(t, 'pair')
  call MPI_Type_contiguous(3, t, s)
  call MPI_Type_free(s)
  call MPI_Type_free(t)

  ! Operations and attributes with procedures of the program's.
  call MPI_Op_create(add, .true., op)
  call MPI_Op_commutative(op, flag)
  v = rank + 1
  call MPI_Allreduce(v, total, 1, MPI_INTEGER, op, c)
  if (total /= nprocs * (nprocs + 1) / 2) stop 9
  call MPI_Op_free(op)
  call MPI_Comm_create_keyval(copy, delete, keyval, 100_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(c, keyval, 7_MPI_ADDRESS_KIND)
  call MPI_Comm_dup(c, d)
  call MPI_Comm_get_attr(d, keyval, attr, flag)
  if (.not. flag .or. attr /= 107 .or. copies /= 1) stop 9
  call MPI_Comm_delete_attr(c, keyval)
  call MPI_Comm_get_attr(c, keyval, attr, flag)
  if (flag) stop 9
  call MPI_Comm_free(d)
  if (deletions /= 2) stop 9
  call MPI_Comm_free_keyval(keyval)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_free_keyval(keyval)

  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, attr, flag)
  if (.not. flag .or. attr < 32767) stop 9

  ! Error handlers; an error that comes back.
  call MPI_Comm_create_errhandler(fault, e)
  call MPI_Comm_set_errhandler(c, e)
  call MPI_Errhandler_free(e)
  call MPI_Comm_call_errhandler(c, MPI_ERR_TAG, ierr)
  if (faults /= 1) stop 9
  call MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN)
  call MPI_Probe(nprocs + 5, 0, c, MPI_STATUS_IGNORE, ierr)
  if (ierr == MPI_SUCCESS) stop 9
  call MPI_Error_class(ierr, n)
  call MPI_Error_string(MPI_ERR_TAG, message, n)
  call MPI_Comm_get_errhandler(c, e)
  if (e /= MPI_ERRORS_RETURN) stop 9

  ! Infos.
  call MPI_Info_create(info)
  call MPI_Info_set(info, ' key ', '  a value ')
  call MPI_Info_get(info, 'key', 40, text, flag)
  if (.not. flag .or. text /= 'a value') stop 9
  call MPI_Info_get(info, 'none', 40, text, flag, ierr)
  if (flag) stop 9
  call MPI_Info_get_nkeys(info, n)
  call MPI_Info_get_nthkey(info, 0, text)
  call MPI_Info_get_valuelen(info, 'key', n, flag)
  if (n /= 7) stop 9
  call MPI_Info_dup(info, again)
  call MPI_Info_delete(again, 'key')
  call MPI_Info_free(again)

  ! Files.
  call MPI_File_open(c, 't711.data ', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), info, f)
  call MPI_File_set_view(f, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
  call MPI_File_write_at_all(f, int(rank, MPI_OFFSET_KIND), v, 1, MPI_INTEGER, MPI_STATUS_IGNORE)
  call MPI_Barrier(c)
  call MPI_File_get_size(f, size)
  if (size /= 4 * nprocs) stop 9
  call MPI_File_get_atomicity(f, flag)
  if (flag) stop 9
  call MPI_File_sync(f, ierr)
  call MPI_File_close(f)
  call MPI_Barrier(c)
  if (rank == 0) call MPI_File_delete('t711.data', MPI_INFO_NULL)
  call MPI_Info_free(info)

  ! Windows.
  call MPI_Win_allocate(4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, c, memory, win)
  call c_f_pointer(memory, shared, [1])
  call MPI_Win_set_name(win, 'ours')
  call MPI_Win_fence(0, win)
  shared(1) = rank
  call MPI_Win_fence(MPI_MODE_NOSUCCEED, win)
  call MPI_Win_free(win)
  call MPI_Win_create(box, 4_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, c, win)
  call MPI_Win_fence(0, win)
  call MPI_Put(v, 1, MPI_INTEGER, mod(rank + 1, nprocs), 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win)
  call MPI_Win_unlock(0, win)
  call MPI_Win_free(win)

  call MPI_Comm_free(c)
  call MPI_Finalize()
  print *, 'rank', rank, 'fine'
end program t711
