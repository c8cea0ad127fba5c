"""Names that a program may not give to what the kernel's author named."""

from __future__ import annotations

from collections.abc import Iterable

from .scalars import CUDA_NAMES
from .types import NUMBERS

_CPP = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
constexpr const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq"""
_CUDA = """threadIdx blockIdx blockDim gridDim warpSize dim3 cudaError_t NULL EOF INFINITY NAN stdin stdout stderr
int8_t uint8_t int16_t uint16_t size_t main SEED CUDA_CHECK near far"""
# Functions of the C library and of CUDA that a device function of another meaning would be an overload of.
_LIBRARY = """y0 y1 j0 j1 jn yn gamma lgamma tgamma exp2 exp10 expm1 log1p logb hypot norm rnorm div remainder fma fdim
nearbyint scalbn rsqrt rcbrt sinpi cospi sincos normcdf index time clock rand random abort exit free malloc
signal select connect printf puts read write open close link step saturate mul24 any all ballot"""
# Functions of the host side of a program.
_HOST = """pcg uniform number_at set to_double check_output sum_output run_example
fill_floats fill_flags fill_whole fill_places fill_rising fill_rotations"""

WORDS = frozenset([*_CPP.split(), *_CUDA.split(), *NUMBERS.values()])
TAKEN = CUDA_NAMES | frozenset([*_LIBRARY.split(), *_HOST.split()])


def free(name: str, taken: Iterable[str]) -> str:
    """Return a name, or one like it that is not taken."""
    while name in taken:
        name += "_"
    return name
