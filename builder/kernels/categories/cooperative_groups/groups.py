"""The group types that snippets define: a part of a warp, the block, the lanes of a branch."""

from __future__ import annotations

from dataclasses import dataclass

from ...native import Cpp, Fold, ctype
from ...types import Scalar


@dataclass(frozen=True, slots=True)
class Group:
    """A group in a snippet: the name of its variable, the threads in it."""

    name: str
    size: int


def warp_tile(cpp: Cpp, T: Scalar, size: int, members: tuple[str, ...]) -> Group:
    """Define a tile of ``size`` neighbouring lanes with the members asked for, and make one.

    Members: thread_rank, size, shfl, shfl_down, shfl_up, shfl_xor, any, all, ballot, sync.
    """
    c, kind = cpp.c, cpp.c.pick(("tile_group", "thread_tile", "lane_group", "tile_t"))
    number = ctype(T)
    shape = {
        "shfl": ("int lane", "__shfl_sync(mask, val, lane, {size})"),
        "shfl_down": ("int by", "__shfl_down_sync(mask, val, by, {size})"),
        "shfl_up": ("int by", "__shfl_up_sync(mask, val, by, {size})"),
        "shfl_xor": ("int lanes", "__shfl_xor_sync(mask, val, lanes, {size})"),
    }
    votes = {"any": "bool", "all": "bool", "ballot": "unsigned int"}
    with cpp.block(f"struct {kind}", ";"):
        cpp("unsigned int mask;")
        for member in c.sample(members, len(members)):
            if member == "thread_rank":
                rank = c.pick((f"threadIdx.x & {size - 1}", f"threadIdx.x % {size}"))
                cpp(f"__device__ int thread_rank() const {{ return {rank}; }}")
            elif member == "size":
                cpp(f"__device__ int size() const {{ return {size}; }}")
            elif member == "sync":
                cpp("__device__ void sync() const { __syncwarp(mask); }")
            elif member in shape:
                params, call = shape[member]
                body = call.replace("{size}", str(size))
                cpp(f"__device__ {number} {member}({number} val, {params}) const {{ return {body}; }}")
            else:
                cpp(f"__device__ {votes[member]} {member}(int test) const {{ {_vote(member, size)} }}")
    name = c.pick(("tile", "group", "g", "team"))
    cpp(f"const {kind} {name}{_mask(c.chance(1, 2), size)};")
    return Group(name, size)


def _vote(member: str, size: int) -> str:
    if member != "ballot":
        return f"return __{member}_sync(mask, test) != 0;"
    return f"return (__ballot_sync(mask, test) & mask) >> (threadIdx.x & {32 - size});"


def _mask(shifted: bool, size: int) -> str:
    if size == 32:
        return " = {0xffffffffu}" if shifted else "{0xffffffffu}"
    ones = f"0x{(1 << size) - 1:x}u"
    return f"{' = ' * shifted}{{{ones} << (threadIdx.x & {32 - size})}}"


def block_group(cpp: Cpp) -> Group:
    """Define the block as a group, with rank, size and barrier, and make one."""
    c, kind = cpp.c, cpp.c.pick(("block_group", "thread_block", "whole_block"))
    with cpp.block(f"struct {kind}", ";"):
        lines = [
            "__device__ int thread_rank() const { return threadIdx.x; }",
            "__device__ int size() const { return blockDim.x; }",
            "__device__ void sync() const { __syncthreads(); }",
        ]
        cpp(*(lines if c.chance(1, 2) else lines[::-1]))
    name = c.pick(("block", "cta", "b"))
    cpp(f"const {kind} {name}{c.pick((' = {}', '{}'))};")
    return Group(name, 256)


def reduce(cpp: Cpp, group: Group, fold: Fold, T: Scalar, name: str, *, everywhere: bool) -> None:
    """Fold the values of ``name`` over a tile by its own shuffles."""
    c = cpp.c
    member = "shfl_xor" if everywhere else "shfl_down"
    limit = f"{group.name}.size()" if c.chance(1, 2) else str(group.size)
    rising = everywhere and c.chance(1, 2)
    head = (
        f"int d = 1; d < {limit}; d <<= 1" if rising else f"int d = {limit} / 2; d > 0; d {c.pick(('>>= 1', '/= 2'))}"
    )
    with cpp.block(f"for ({head})"):
        moved = f"{group.name}.{member}({name}, d)"
        if fold.name in ("sum", "product") and c.chance(2, 3):
            cpp(fold.into(c, name, moved))
        else:
            cpp(f"const {ctype(T)} other = {moved};", fold.into(c, name, "other"))
