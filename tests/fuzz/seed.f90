! seed.f90 - procedures of a module, one inside another
module seed
  integer, volatile :: sink
contains
  subroutine outer(n)
    integer, intent(in) :: n
    call inner(n)
  contains
    subroutine inner(m)
      integer, intent(in) :: m
      sink = m
    end subroutine inner
  end subroutine outer
end module seed

program main
  use seed
  call outer(3)
end program main
