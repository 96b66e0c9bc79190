! The same with the Fortran layer in the program itself, where each routine is there twice.
include 't710_f08_requests.f90'
