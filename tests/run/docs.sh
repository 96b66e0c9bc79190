#!/bin/sh
# What the documents tell to type works, and shows what they show (docs.py has the rules).
. tests/run/lib.sh
case ${MPICC:-mpicc} in
*openmpi* | *smpi*)
	echo "skip docs: they are written for the default MPI"
	exit 0
	;;
esac
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/run/docs.py" "$root" "$work"
