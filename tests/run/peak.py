#!/usr/bin/env python3
"""Runs a command and adds to its output what it took at most: "peak N KiB"."""
import resource, subprocess, sys

code = subprocess.call(sys.argv[1:], close_fds=False)  # MPI's launcher gives it some
print("peak %d KiB" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, flush=True)
sys.exit(code)
