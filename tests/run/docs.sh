#!/bin/sh
# What the documents tell to type works, and shows what they show (docs.py has the rules).
. tests/run/lib.sh
first_mpi_only "the documents are written for that one"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/run/docs.py" "$root" "$work"
