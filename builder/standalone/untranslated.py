"""What of Warp has no translation, and why; tests hold it against the grammar's table of operations."""

from __future__ import annotations

_RUNTIME = "asks a structure that Warp's runtime builds"
_RACE = "hands out places in the order in which threads arrive"
_ITERATION = "is an iteration of Warp's own, of no standard form"
_GEOMETRY = "is a geometric routine of Warp's own, of many cases"

# Builtins by the start of their name.
UNTRANSLATED = {
    "bvh_": _RUNTIME,
    "mesh_": _RUNTIME,
    "hash_grid_": _RUNTIME,
    "volume_": _RUNTIME,
    "texture_": _RUNTIME,
    "tile_bvh_": _RUNTIME,
    "tile_mesh_": _RUNTIME,
    "tile_stack": _RACE,
    "svd": _ITERATION,
    "qr3": _ITERATION,
    "eig3": _ITERATION,
    "curlnoise": _ITERATION,
    "intersect_tri_tri": _GEOMETRY,
    "closest_point_edge_edge": _GEOMETRY,
    "grad": "is differentiation by Warp's adjoints",
}

# Constructs other than builtins.
CONSTRUCTS = {
    "an indexedarray": "an array seen through lists of indices has no plain pointer",
    "bits of one type as another": "CUDA has names for the bits of numbers of 32 and of 64 bits only",
    "an array of structs that hold arrays": "each element would have memory of its own to allocate and free",
    "a slice": "a slice whose limits are found at run time has no type in C++",
    "an array that is no argument and no part of one": "its pointer and lengths are not known before",
    "an array that is assigned more than once": "its pointer and lengths would be chosen at run time",
    "a reference to a variable": "what a function does to its caller's variables is not followed",
    "one index of a grid of several dimensions": "a kernel that asks for both has threads of two numberings",
    "a loop that never runs": "Warp does not type it, and what only it reads would be declared for nothing",
    "several effects inside a condition": "C++ leaves their order open",
    "an effect inside wp.where": "Warp evaluates both values, C++ one",
    "an operator of the kernel's own": "C++ has no overloads for Warp's numbers",
    "a random state that is no variable": "it would change what holds it",
    "more shared memory than a block has": "the host would have to ask for it, and not every GPU has it",
    "a tile in a conditional": "threads may wait for each other only where all of them come by",
    "a tile that is chosen": "which tile it is would be decided at run time",
    "a tile of several shapes": "one array in shared memory has one shape",
    "a tile without a name that is changed": "it lies nowhere",
    "a tile in a function": "its array would have to be handed over with its shape",
    "an element of a tile that is changed while threads may read it": "Warp has no barrier between the two",
    "an element that threads of a block store differently": "which of the threads is the last is left open",
    "an element of a tile that each thread stores": "which of the threads is the last is left open",
}


def reason_of(builtin: str) -> str:
    """Return why a builtin has no translation; empty if it is not on the list."""
    return next((reason for start, reason in UNTRANSLATED.items() if builtin.startswith(start)), "")
