!     Fixed-form Fortran through mpif.h: logicals, statuses, 1-based indices, strings.
      program t702
      implicit none
      include 'mpif.h'
      integer ierr, rank, nprocs, i, v, got, idx
      integer q(2), st(MPI_STATUS_SIZE, 2), one(MPI_STATUS_SIZE)
      logical flag
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, nprocs, ierr)
      v = rank
      do i = 1, 10
        call MPI_IRECV(got, 1, MPI_INTEGER, mod(rank+1, nprocs), i,
     &    MPI_COMM_WORLD, q(1), ierr)
        call MPI_ISEND(v, 1, MPI_INTEGER, mod(rank+nprocs-1, nprocs),
     &    i, MPI_COMM_WORLD, q(2), ierr)
        call MPI_WAITALL(2, q, st, ierr)
      end do
      call MPI_TEST(q(1), flag, one, ierr)
      if (.not. flag) stop 9
      call MPI_WAITANY(2, q, idx, MPI_STATUS_IGNORE, ierr)
      call MPI_ALLREDUCE(MPI_IN_PLACE, v, 1, MPI_INTEGER, MPI_SUM,
     &  MPI_COMM_WORLD, ierr)
      if (got .ne. mod(rank+1, nprocs)) stop 9
      call MPI_COMM_SET_NAME(MPI_COMM_WORLD, 'all of us   ', ierr)
      call MPI_FINALIZE(ierr)
      write (*,*) 'rank', rank, 'fine'
      end
