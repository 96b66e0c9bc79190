!     Attributes in Fortran, which MPICH keeps as integers, by functions of its own.
      program t712
      implicit none
      include 'mpif.h'
      integer ierr, keyval, c, t, val, w
      integer (kind=MPI_ADDRESS_KIND) attr, zero
      integer (kind=MPI_ADDRESS_KIND) size
      logical flag
      zero = 0
      call MPI_INIT(ierr)
      call MPI_COMM_DUP(MPI_COMM_WORLD, c, ierr)
      call MPI_COMM_CREATE_KEYVAL(MPI_COMM_DUP_FN,
     &  MPI_COMM_NULL_DELETE_FN, keyval, zero, ierr)
      attr = 17
      call MPI_COMM_SET_ATTR(c, keyval, attr, ierr)
      attr = 0
      call MPI_COMM_GET_ATTR(c, keyval, attr, flag, ierr)
      if (.not. flag .or. attr .ne. 17) stop 9
      call MPI_COMM_DELETE_ATTR(c, keyval, ierr)
      call MPI_COMM_GET_ATTR(c, keyval, attr, flag, ierr)
      if (flag) stop 9
      call MPI_COMM_FREE_KEYVAL(keyval, ierr)
      call MPI_KEYVAL_CREATE(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN,
     &  keyval, 0, ierr)
      call MPI_ATTR_PUT(c, keyval, 5, ierr)
      val = 0
      call MPI_ATTR_GET(c, keyval, val, flag, ierr)
      if (.not. flag .or. val .ne. 5) stop 9
      call MPI_ATTR_DELETE(c, keyval, ierr)
      call MPI_KEYVAL_FREE(keyval, ierr)
      call MPI_TYPE_CONTIGUOUS(2, MPI_INTEGER, t, ierr)
      call MPI_TYPE_CREATE_KEYVAL(MPI_TYPE_DUP_FN,
     &  MPI_TYPE_NULL_DELETE_FN, keyval, zero, ierr)
      attr = 23
      call MPI_TYPE_SET_ATTR(t, keyval, attr, ierr)
      call MPI_TYPE_GET_ATTR(t, keyval, attr, flag, ierr)
      if (.not. flag .or. attr .ne. 23) stop 9
      call MPI_TYPE_DELETE_ATTR(t, keyval, ierr)
      call MPI_TYPE_FREE_KEYVAL(keyval, ierr)
      call MPI_TYPE_FREE(t, ierr)
      size = 0
      call MPI_WIN_CREATE(val, size, 4, MPI_INFO_NULL, c, w, ierr)
      call MPI_WIN_GET_ATTR(w, MPI_WIN_DISP_UNIT, attr, flag, ierr)
      if (.not. flag .or. attr .ne. 4) stop 9
      call MPI_WIN_CREATE_KEYVAL(MPI_WIN_DUP_FN,
     &  MPI_WIN_NULL_DELETE_FN, keyval, zero, ierr)
      attr = 31
      call MPI_WIN_SET_ATTR(w, keyval, attr, ierr)
      call MPI_WIN_GET_ATTR(w, keyval, attr, flag, ierr)
      if (.not. flag .or. attr .ne. 31) stop 9
      call MPI_WIN_DELETE_ATTR(w, keyval, ierr)
      call MPI_WIN_FREE_KEYVAL(keyval, ierr)
      call MPI_WIN_FREE(w, ierr)
      call MPI_COMM_FREE(c, ierr)
      call MPI_FINALIZE(ierr)
      write (*,*) 'fine'
      end
