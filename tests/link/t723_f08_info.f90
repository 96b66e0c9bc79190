! use mpi_f08: strings whose length is asked for. C counts the 0 at their end, Fortran has none.
program t723
  use mpi_f08
  implicit none
  type(MPI_Info) :: info
  character(len=16) :: value
  logical :: flag
  integer :: length, i
  call MPI_Init()
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'value')
  do i = 0, 7
     length = i
     call MPI_Info_get_string(info, 'key', length, value, flag)
     if (.not. flag .or. length /= 5) stop 9
  end do
  length = 7
  call MPI_Info_get_string(info, 'none', length, value, flag)
  if (flag .or. length /= 7) stop 9
  ! An empty value, and none; 0 asks.
  call MPI_Info_set(info, 'empty', '')
  do i = 0, 4, 4
     length = i
     call MPI_Info_get_string(info, 'empty', length, value, flag)
     if (.not. flag .or. length /= 0) stop 9
  end do
  length = 0
  call MPI_Info_get_string(info, 'none', length, value, flag)
  if (flag .or. length /= 0) stop 9
  call MPI_Info_free(info)
  call MPI_Finalize()
  print *, 'fine'
end program t723
