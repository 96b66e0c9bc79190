! Programs that are started, from mpi_f08: strings in arrays, lists that end with a blank one. No MPI starts -1 of them.
program t713
  use mpi_f08
  implicit none
  integer :: rank, ierr, codes(3)
  type(MPI_Comm) :: inter
  character(len=8) :: args(3), commands(2), lists(2, 3)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  args = ['one     ', ' two    ', '        ']
  commands = ['./no-one', './no-two']
  lists(:, 1) = ['a       ', '        ']
  lists(:, 2) = ['b       ', 'unused  ']
  lists(:, 3) = ['        ', '        ']
  if (rank == 0) then
    call MPI_Comm_spawn('./nobody', args, -1, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, codes, ierr)
    call MPI_Comm_spawn('./nobody', MPI_ARGV_NULL, -1, MPI_INFO_NULL, 0, MPI_COMM_SELF, inter, MPI_ERRCODES_IGNORE, ierr)
    call MPI_Comm_spawn_multiple(2, commands, lists, [1, -1], [MPI_INFO_NULL, MPI_INFO_NULL], 0, MPI_COMM_SELF, inter, codes, ierr)
    call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, [1, -1], [MPI_INFO_NULL, MPI_INFO_NULL], 0, MPI_COMM_SELF, &
       inter, MPI_ERRCODES_IGNORE, ierr)
  end if
  call MPI_Finalize()
  print *, 'rank', rank, 'fine'
end program t713
