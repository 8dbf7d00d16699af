"""Puts generated definitions into files, and changes nothing else in them.

The core is pure, from bytes to bytes: `apply.merge_module`, `remove.remove_definitions`, `packages.merge_init`. A file
is parsed once with libcst, which says where each statement begins and ends; what is to change becomes splices into its
text, so every byte outside a splice is the one that was there. `symgen.files` reads and writes.
"""
