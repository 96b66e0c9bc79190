! use mpi_f08: files. What the Fortran layer calls to convert their handles is no call of the program's, also where all are recorded.
program t721
  use mpi_f08
  implicit none
  integer :: rank, v, n
  integer(MPI_OFFSET_KIND) :: at
  type(MPI_File) :: f
  type(MPI_Status) :: st
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_File_open(MPI_COMM_WORLD, 't721.data', ior(ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_MODE_DELETE_ON_CLOSE), &
    MPI_INFO_NULL, f)
  at = 4 * rank
  v = rank + 7
  call MPI_File_write_at(f, at, v, 1, MPI_INTEGER, st)
  v = 0
  call MPI_File_read_at(f, at, v, 1, MPI_INTEGER, st)
  call MPI_Get_count(st, MPI_INTEGER, n)
  if (v /= rank + 7 .or. n /= 1) stop 9
  call MPI_File_sync(f)
  call MPI_File_close(f)
  call MPI_Finalize()
  print *, 'fine'
end program t721
