"""Code tokens of the C++ that a source holds in strings, as bodies of ``@wp.func_native``.

The lexer is C++'s own: the longest token wins. It is written here, and not Pygments', because keys are part of a
dataset: they must not change with a library's version, and Pygments takes thirteen times as long.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>\.?[0-9](?:[eEpP][+-]|'?[\w.])*)
    |(?P<word>[^\W\d]\w*)
    |(?P<sign><<=|>>=|\.\.\.|->\*?|::|\#\#|\+\+|--|<<|>>|&&|\|\||[-+*/%^&|<>=!]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_TYPES = frozenset(
    ("auto", "bool", "char", "class", "const", "constexpr", "double", "enum", "float", "inline", "int", "long", "short",
     "signed", "static", "struct", "typename", "unsigned", "using", "void", "volatile")
)  # fmt: skip
_KEYWORDS = _TYPES | frozenset(
    ("break", "case", "const_cast", "continue", "default", "delete", "do", "dynamic_cast", "else", "extern", "false",
     "for", "goto", "if", "namespace", "new", "nullptr", "operator", "private", "public", "reinterpret_cast", "return",
     "sizeof", "static_cast", "switch", "template", "this", "true", "typedef", "union", "while")
)  # fmt: skip
# Names of CUDA's and Warp's own that are not called.
_CUDA = frozenset(("adj_ret", "blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize", "wp"))
_QUALIFIERS = (".", "->", "::")
# After one of these a sign is one of a number, not an operator between two.
_OPENING = frozenset(
    ("(", "[", "{", ",", ";", "=", "<", ">", "==", "!=", "<=", ">=", "&&", "||", "?", ":", "+", "-", "*", "/", "%",
     "return", "+=", "-=", "*=", "/=", "case")
)  # fmt: skip

Token = tuple[str, str]


def lex(text: str) -> Iterator[Token]:
    """Yield ``(kind, text)`` of each token; kinds are directive, text, number, word and sign."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        assert kind is not None
        if kind != "space":
            token = match.group()
            yield kind, " ".join(token.replace("\\\n", " ").split()) if kind == "directive" else token


class Snippet:
    """The tokens of one snippet, its own names replaced by codes; attributes as of :class:`.syntax.Walk`.

    Own names are the parameters of its function, whose code tells their place (``$s0.arg0``, for their adjoints
    ``$s0.adj0``, in snippet 0), and what it declares; which names are declared is told by their neighbours: a word
    after a type, or one that is neither called, qualified nor CUDA's.
    """

    def __init__(self, text: str, params: tuple[str, ...], number: int = 0) -> None:
        self.tokens: list[str] = []
        self.names: dict[str, str] = {}
        self.numbers: list[int] = []
        self.signs: list[int] = []
        given = list(lex(text))
        codes: dict[str, str] = {}
        for place, name in enumerate(params):
            codes |= {name: f"$s{number}.arg{place}", f"adj_{name}": f"$s{number}.adj{place}"}
        declared = _declared(given)
        for place, (kind, token) in enumerate(given):
            if kind == "word" and (token in codes or _own(given, place, declared)):
                code = codes.setdefault(token, f"$s{number}.own{len(codes)}")
                if not _qualified(given, place):
                    self.names[code] = token
                    token = code
            elif kind == "number":
                self._number(given, place)
            self.tokens.append(token)

    def _number(self, given: list[Token], place: int) -> None:
        self.numbers.append(place)
        if place > 0 and given[place - 1][1] in "+-" and (place == 1 or given[place - 2][1] in _OPENING):
            self.signs.append(place - 1)


def _qualified(given: list[Token], place: int) -> bool:
    return place > 0 and given[place - 1][1] in _QUALIFIERS


def _declared(given: list[Token]) -> set[str]:
    """Return the names that come after a type at some place."""
    found = set()
    for (kind, before), (own, token) in pairwise(given):
        typed = before in _TYPES if before in _KEYWORDS else kind == "word"
        if typed and own == "word" and token not in _KEYWORDS:
            found.add(token)
    return found


def _own(given: list[Token], place: int, declared: set[str]) -> bool:
    token = given[place][1]
    if token in _KEYWORDS or token in _CUDA or token.startswith("__") or _qualified(given, place):
        return False
    after, follows = given[place + 1] if place + 1 < len(given) else ("", "")
    a_type = after == "word" and follows not in _KEYWORDS
    return token in declared or not (follows in ("(", "::") or a_type)


def native_snippets(tree: ast.Module) -> Mapping[int, tuple[str, ...]]:
    """Return by ``id`` of the string's node the parameters of the ``@wp.func_native`` it is a body of."""
    strings: dict[str, ast.Constant] = {}
    found: dict[int, tuple[str, ...]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and type(node.value.value) is str:
            strings |= {target.id: node.value for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.FunctionDef):
            params = tuple(arg.arg for arg in node.args.args)
            for value in _native_arguments(node):
                constant = strings.get(value.id) if isinstance(value, ast.Name) else value
                if isinstance(constant, ast.Constant) and type(constant.value) is str:
                    found.setdefault(id(constant), params)
    return found


def _names(callee: ast.expr) -> tuple[str, str]:
    return getattr(callee, "attr", ""), getattr(callee, "id", "")


def _native_arguments(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for call in function.decorator_list:
        if isinstance(call, ast.Call) and "func_native" in _names(call.func):
            yield from call.args
            yield from (keyword.value for keyword in call.keywords)
