"""What Warp generates for a kernel, before it is made canonical."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """Raw text for one device.

    Attributes:
        forward: structs, device functions, for the CPU the argument struct, and the forward kernel.
        backward: adjoints of the device functions and the backward kernel, to be compiled below
            ``forward``; empty for a kernel with ``enable_backward=False``.
    """

    forward: str
    backward: str


@dataclass(frozen=True, slots=True)
class RawCode:
    """What Warp generates for one kernel, before canonicalisation.

    Attributes:
        name: the kernel's name.
        args: ``(name, annotation as written)`` of each argument.
        launch_dim: 1 to 4, the dimensions of the launch grid.
        cpu, cuda: the text for each device.
        structs: ``(name with Warp's content hash, plain name)`` of each struct.
        origins: the comment lines by which Warp names the Python file above device functions.
        echoes: the comments (stripped) by which Warp may echo a Python line.
        calls: (Warp builtin, type of its first argument) of all calls that the kernel and its functions make.
        entry_point: the C++ launch thunks and ``extern "C"`` entry points that go below the CPU code.
    """

    name: str
    args: tuple[tuple[str, str], ...]
    launch_dim: int
    cpu: DeviceCode
    cuda: DeviceCode
    structs: tuple[tuple[str, str], ...]
    origins: frozenset[str]
    echoes: frozenset[str]
    calls: frozenset[tuple[str, str]]
    entry_point: str


@dataclass(frozen=True, slots=True)
class Builtin:
    """One name of Warp's table of builtins.

    Attributes:
        name: what a kernel calls, behind ``wp.``.
        group: its heading in Warp's documentation.
        documented: whether the documentation lists an overload; Warp calls the others by itself for operators,
            indices and assignments, or takes them from Python's names.
        first: the types that the first argument of an overload may have, sorted; empty where none takes any.
        differentiable: whether Warp has an adjoint for it.
    """

    name: str
    group: str
    documented: bool
    first: tuple[str, ...]
    differentiable: bool
