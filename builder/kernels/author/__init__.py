"""Writing a kernel statement by statement, as a programmer would: what families and categories are written with.

A scope is a kernel or a function being written. Words such as ``"dist|d|r"`` are alternatives for one identifier; the
choices pick one, and no identifier is used twice in a scope.
"""

from .kernel import Author
from .locals import Arr, Callee, Tiled, Var
from .scope import FunctionScope, Scope

__all__ = ["Arr", "Author", "Callee", "FunctionScope", "Scope", "Tiled", "Var"]
