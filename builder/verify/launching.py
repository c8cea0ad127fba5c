"""Launches a row's kernel source through Warp itself, on a device, with arguments that lie in memory here."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

from ..codegen.arguments import ArrayOf, Block, Kind, Number, Record
from ..codegen.warp_internals import BLOCK_DIM
from .layout import Memory, UnsupportedArgument, Values
from .machine import Launch
from .subject import contents


@contextmanager
def imported(source: str) -> Iterator[Any]:
    """Give the kernel of a source, as a module of its own that Warp compiles when it is launched."""
    with tempfile.TemporaryDirectory(prefix="warp_cuda_pairs_") as folder:
        path = Path(folder, "kernel_source.py")
        path.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        yield next(value for value in vars(module).values() if isinstance(value, wp.Kernel))


class Launcher:
    """Launches one kernel on one device.

    Args:
        kernel: a ``wp.Kernel``.
        kinds: its arguments.
        device: a name of Warp's, such as ``cuda:0``.
    """

    def __init__(self, kernel: Any, kinds: Sequence[tuple[str, Kind]], device: str) -> None:
        concrete = next(iter(kernel.overloads.values())) if kernel.is_generic else kernel
        self._kernel, self._kinds, self._device = concrete, kinds, device
        self._types = [arg.type for arg in concrete.adj.args]

    def forward(self, memory: Memory, launch: Launch) -> list[Values]:
        """Launch forward; what then lies in the arrays, whose contents here stay as they are."""
        arguments = _Arguments(self._device, memory, None)
        values = arguments.made(self._kinds, self._types)
        self._launch(launch, inputs=values)
        return arguments.read(memory)

    def backward(self, memory: Memory, adjoint: Memory, launch: Launch) -> list[Values]:
        """Launch forward and then backward; what then lies in the arrays of ``adjoint``, which stay as they are.

        Raises:
            UnsupportedArgument: a struct holds arrays, or arrays lie behind lists of indices.
        """
        arguments = _Arguments(self._device, memory, adjoint)
        values = arguments.made(self._kinds, self._types)
        self._launch(launch, inputs=values)
        gradients = [_gradient(value, type_) for value, type_ in zip(values, self._types, strict=True)]
        self._launch(launch, inputs=values, adj_inputs=gradients, adjoint=True)
        return arguments.read(adjoint)

    def _launch(self, launch: Launch, **arguments: Any) -> None:
        if launch.same > 1:
            wp.launch_tiled(self._kernel, list(launch.shape), block_dim=launch.same, device=self._device, **arguments)
        else:
            wp.launch(self._kernel, launch.shape, block_dim=BLOCK_DIM, device=self._device, **arguments)
        wp.synchronize_device(self._device)


class _Arguments:
    """Arguments on a device: copies of those in memory here, and of gradients where there are any."""

    def __init__(self, device: str, memory: Memory, adjoint: Memory | None) -> None:
        self._device, self._memory, self._adjoint = device, memory, adjoint
        self._arrays: list[Any] = []

    def made(self, kinds: Sequence[tuple[str, Kind]], types: Sequence[Any]) -> list[Any]:
        """Return what to launch with."""
        record = self._memory.record[0]
        return [self._value(kind, type_, record[name]) for (name, kind), type_ in zip(kinds, types, strict=True)]

    def read(self, memory: Memory) -> list[Values]:
        """Return what the device's arrays (of ``memory`` or of gradients) hold; those here keep what they hold."""
        saved = memory.save()
        for array, buffer in zip(self._arrays, memory.buffers, strict=True):
            wp.copy(_here(buffer, array), array if memory is self._memory else array.grad)
        wp.synchronize_device(self._device)
        values = contents(memory)
        memory.restore(saved)
        return values

    def _value(self, kind: Kind, type_: Any, at: Any) -> Any:
        match kind:
            case Number("bfloat16"):
                bits = np.asarray([int(at) << 16], np.uint32)
                return type_(float(bits.view(np.float32)[0]))
            case Number():
                return type_(at.item())
            case Block():
                values = np.asarray(at)
                return type_(*(values.astype(np.float64) if values.dtype.kind == "f" else values).ravel().tolist())
            case Record(_, fields):
                made = type_()
                for name, field in fields:
                    setattr(made, name, self._value(field, type_.vars[name].type, at[name]))
                return made
            case ArrayOf("array"):
                return self._array(type_)
        raise UnsupportedArgument(f"no value on a device is made for {kind}")

    def _array(self, type_: Any) -> Any:
        number = len(self._arrays)
        buffer = self._memory.buffers[number]
        array = wp.empty(buffer.shape[: type_.ndim], dtype=type_.dtype, device=self._device)
        wp.copy(array, _here(buffer, array))
        if self._adjoint is not None:
            array.requires_grad = True
            wp.copy(array.grad, _here(self._adjoint.buffers[number], array))
        self._arrays.append(array)
        return array


def _here(buffer: Values, like: Any) -> Any:
    """Return a buffer of this process as an array of Warp's, without a copy."""
    return wp.array(ptr=buffer.ctypes.data, dtype=like.dtype, shape=like.shape, device="cpu")


def _gradient(value: Any, type_: Any) -> Any:
    if isinstance(value, wp.array):
        return value.grad
    if hasattr(type_, "vars") and any(isinstance(getattr(value, name), wp.array) for name in type_.vars):
        raise UnsupportedArgument("gradients of arrays in structs are not laid out on a device")
    return type_()
