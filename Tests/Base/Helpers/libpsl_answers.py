"""Answers two digits for each name on standard input, `1` or `0`: is it a public suffix to libpsl with the list of PyPI's package, and
one of the section of registries (PSL_TYPE_ICANN)?"""
import ctypes
import importlib.resources
import sys

LIST = str(importlib.resources.files("publicsuffixlist").joinpath("public_suffix_list.dat")).encode()

library = ctypes.CDLL("libpsl.so.5")
library.psl_load_file.restype = ctypes.c_void_p
library.psl_load_file.argtypes = [ctypes.c_char_p]
library.psl_is_public_suffix.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
library.psl_is_public_suffix2.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
ICANN = 1

rules = library.psl_load_file(LIST)
if not rules:
    sys.exit(1)
for line in sys.stdin.buffer:
    name = line.rstrip(b"\n")
    print(library.psl_is_public_suffix(rules, name), library.psl_is_public_suffix2(rules, name, ICANN), sep="")
