"""What the functions of one program share: helpers, constants, each other's signatures."""

from __future__ import annotations

from ..codegen.arguments import Number
from ..codegen.typed import TypedFunction
from ..errors import StandaloneRejection
from .helpers import Helpers
from .names import TAKEN, WORDS, free
from .scope import Scope
from .signatures import Signature, signature_of
from .types import name_of


class Unit:
    """One program that is being printed."""

    def __init__(self) -> None:
        self.helpers = Helpers()
        self.constants: dict[str, tuple[Number, str]] = {}
        self.signatures: dict[int, Signature] = {}
        self.scopes: dict[int, Scope] = {}  # by function, as the signatures
        self.shared_bytes = 0  # of the kernel's arrays in shared memory

    def signature(self, function: TypedFunction) -> Signature:
        """Return the signature of a device function."""
        found = self.signatures.get(id(function))
        if found is None:
            raise StandaloneRejection(f"a call of {function.name} before it is defined")
        return found

    def declare(self, function: TypedFunction) -> Signature:
        """Return a new signature for a function."""
        signature = signature_of(function, free(function.name, TAKEN | WORDS))
        self.signatures[id(function)] = signature
        return signature

    def constant(self, name: str, kind: Number, text: str) -> str:
        """Return what a constant of the source is called, or its value where it has two types."""
        known = self.constants.setdefault(name, (kind, text))
        if known != (kind, text) or name in WORDS or kind.name in ("float16", "bfloat16"):
            return f"({text})" if text.startswith("-") else text
        return name

    def constant_lines(self) -> list[str]:
        """Return the definitions of the constants."""
        return [
            f"constexpr {name_of(kind)} {name} = {text};"
            for name, (kind, text) in self.constants.items()
            if name not in WORDS and kind.name not in ("float16", "bfloat16")
        ]
