C     What MPI-3.0 removed, from Fortran, where addresses are no more than INTEGER.
      program removed
      implicit none
      include 'mpif.h'
      integer ierr, t, v, h, key, extent, lb, ub, was, value
      integer place(2), length(2), at(2), kind(2), from(8), to(8), i
      logical flag
      call MPI_INIT(ierr)
      length(1) = 1
      length(2) = 2
      at(1) = 4
      at(2) = 16
      kind(1) = MPI_INTEGER
      kind(2) = MPI_INTEGER
      call MPI_TYPE_STRUCT(2, length, at, kind, t, ierr)
      call MPI_TYPE_COMMIT(t, ierr)
      call MPI_TYPE_EXTENT(t, extent, ierr)
      call MPI_TYPE_LB(t, lb, ierr)
      call MPI_TYPE_UB(t, ub, ierr)
      if (extent .ne. 20 .or. lb .ne. 4 .or. ub .ne. 24) then
        call MPI_ABORT(MPI_COMM_WORLD, 1, ierr)
      end if
      call MPI_TYPE_HVECTOR(2, 1, 8, MPI_INTEGER, v, ierr)
      call MPI_TYPE_HINDEXED(2, length, at, MPI_INTEGER, h, ierr)
      call MPI_TYPE_COMMIT(v, ierr)
      call MPI_TYPE_COMMIT(h, ierr)
      do i = 1, 8
        from(i) = i - 1
      end do
      call MPI_SENDRECV(from, 1, v, 0, 1, to, 2, MPI_INTEGER, 0, 1,
     &                  MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
      if (to(2) .ne. 2) call MPI_ABORT(MPI_COMM_WORLD, 2, ierr)
      call MPI_SENDRECV(from, 1, h, 0, 2, to, 3, MPI_INTEGER, 0, 2,
     &                  MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
      if (to(3) .ne. 5) call MPI_ABORT(MPI_COMM_WORLD, 3, ierr)
      call MPI_TYPE_FREE(t, ierr)
      call MPI_TYPE_FREE(v, ierr)
      call MPI_TYPE_FREE(h, ierr)
      call MPI_ADDRESS(place(1), at(1), ierr)
      call MPI_ERRHANDLER_GET(MPI_COMM_WORLD, was, ierr)
      call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
      call MPI_SEND(from, 1, MPI_INTEGER, 77, 0, MPI_COMM_WORLD, ierr)
      if (ierr .eq. MPI_SUCCESS) call MPI_ABORT(MPI_COMM_WORLD, 4, ierr)
      call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, was, ierr)
      call MPI_KEYVAL_CREATE(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, key,
     &                       0, ierr)
      call MPI_ATTR_PUT(MPI_COMM_WORLD, key, 7, ierr)
      call MPI_ATTR_GET(MPI_COMM_WORLD, key, value, flag, ierr)
      if (.not. flag .or. value .ne. 7) then
        call MPI_ABORT(MPI_COMM_WORLD, 5, ierr)
      end if
      call MPI_ATTR_DELETE(MPI_COMM_WORLD, key, ierr)
      call MPI_KEYVAL_FREE(key, ierr)
      call MPI_FINALIZE(ierr)
      end
