"""Answers `1` or `0` for each name on standard input: is it a public suffix to libpsl with the list of PyPI's package?"""
import ctypes
import importlib.resources
import sys

LIST = str(importlib.resources.files("publicsuffixlist").joinpath("public_suffix_list.dat")).encode()

library = ctypes.CDLL("libpsl.so.5")
library.psl_load_file.restype = ctypes.c_void_p
library.psl_load_file.argtypes = [ctypes.c_char_p]
library.psl_is_public_suffix.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

rules = library.psl_load_file(LIST)
if not rules:
    sys.exit(1)
for line in sys.stdin.buffer:
    print(library.psl_is_public_suffix(rules, line.rstrip(b"\n")))
