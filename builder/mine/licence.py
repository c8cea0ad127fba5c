"""The licence of an installed distribution, as an SPDX expression."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import metadata

from ..errors import MiningError

UNKNOWN = "unknown"
# Rows under these may be passed on by anybody who keeps the notice.
ALLOWED = frozenset(
    {
        *("Apache-2.0", "MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC", "Zlib"),
        *("CC0-1.0", "Unlicense", "PSF-2.0", "BSL-1.0"),
    }
)
_CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: MIT No Attribution License (MIT-0)": "MIT-0",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: zlib/libpng License": "Zlib",
    "License :: OSI Approved :: The Unlicense (Unlicense)": "Unlicense",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
    "License :: OSI Approved :: Boost Software License 1.0 (BSL-1.0)": "BSL-1.0",
    "License :: CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
    "License :: OSI Approved :: GNU General Public License v3 (GPLv3)": "GPL-3.0-only",
    "License :: OSI Approved :: GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0-only",
    "License :: OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
_TEXTS = {
    "apache": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mit license": "MIT",
    "the mit license": "MIT",
    "bsd 2-clause": "BSD-2-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
}
_KNOWN = {name.casefold(): name for name in (*ALLOWED, *_CLASSIFIERS.values())}


def licence_of(distribution: metadata.Distribution) -> str:
    """Return a distribution's SPDX licence expression, or :data:`UNKNOWN`.

    ``License-Expression`` is taken as it stands (PEP 639); of ``License`` and the classifiers only what the
    tables above know.
    """
    fields = distribution.metadata
    expression = " ".join(_field(fields, "License-Expression").split())
    if expression and len(expression) <= 100 and all(c.isalnum() or c in " .-+()" for c in expression):
        return expression
    text = " ".join(_field(fields, "License").split()).casefold()
    if text in _KNOWN or text in _TEXTS:
        return _KNOWN.get(text) or _TEXTS[text]
    found = {_CLASSIFIERS[line] for line in fields.get_all("Classifier") or () if line in _CLASSIFIERS}
    return found.pop() if len(found) == 1 else UNKNOWN


def _field(fields: metadata.PackageMetadata, name: str) -> str:
    return " ".join(fields.get_all(name) or ())


def check_allowed(name: str, licence: str, also: Collection[str] = ()) -> None:
    """Refuse a licence that is neither permissive nor allowed by the user.

    Args:
        name: the distribution, for the message.
        licence: its SPDX expression, or :data:`UNKNOWN`.
        also: licences the user allows.

    Raises:
        MiningError: it is not allowed.
    """
    words = re.findall(r"[^\s()]+", licence)
    ids = [word for word in words if word not in ("AND", "OR", "WITH")]
    if licence in also or all(one in ALLOWED or one in also for one in ids):
        return
    what = "its metadata names no licence we know" if licence == UNKNOWN else f"its licence is {licence}"
    raise MiningError(
        f"{name} is not mined: {what}; allowed without asking: {', '.join(sorted(ALLOWED))}. "
        f"If its licence lets you, add --allow-licence '{licence}'"
    )
