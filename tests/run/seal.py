#!/usr/bin/env python3
"""Puts the right checksum at the end of an rsd or ascii text trace that was edited: seal.py FILE"""
import sys

text = open(sys.argv[1], "rb").read()
body = text[:text.rindex(b"\nend ") + 1]
h = 0xcbf29ce484222325
for b in body:
    h = ((h ^ b) * 0x100000001b3) & 0xffffffffffffffff
open(sys.argv[1], "wb").write(body + b"end %016x\n" % h)
