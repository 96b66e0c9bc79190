! A plugin in Fortran 2008: its constants are those of libraries that no one else sees.
function work() result(bad) bind(C)
  use, intrinsic :: iso_c_binding, only : c_int
  use mpi_f08
  implicit none
  integer(c_int) :: bad
  integer :: rank, v, got, keyval
  type(MPI_Request) :: q(2)
  type(MPI_Comm) :: ring
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  v = rank
  call MPI_Irecv(got, 1, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, q(1))
  call MPI_Isend(v, 1, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, q(2))
  call MPI_Waitall(2, q, MPI_STATUSES_IGNORE)
  call MPI_Wait(q(1), MPI_STATUS_IGNORE)
  call MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [1 - rank], MPI_UNWEIGHTED, &
       1, [1 - rank], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring)
  call MPI_Comm_free(ring)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_free_keyval(keyval)
  call MPI_Finalize()
  bad = merge(0, 1, got == 1 - rank .and. v == 1)
end function work
