"""Hostile inputs, drawn from a seed: values of specs, command lines, YAML, manifests and contents of folders."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from builder.record import LEVELS
from builder.spec import field_names

VALUES: tuple[Any, ...] = (
    *(
        "",
        " ",
        "\x00",
        "\n",
        "-1",
        "0",
        "1e308",
        "1e999",
        "nan",
        "inf",
        "-inf",
        "٣",
        "0x10",
        "1_000",
        "10**9",
        "9" * 400,
    ),
    *(
        "../../etc/passwd",
        "/dev/zero",
        "~root",
        "$(id)",
        "`id`",
        "; rm -rf .",
        "%s%n",
        "{0.__class__}",
        "{kernel_name",
        "}{",
    ),
    *(
        "{kernel_name!r:>9999}",
        "{kernel_name.__class__.__mro__}",
        "{category[0]}",
        "math=",
        "=1",
        "math=1,math",
        "math==2",
    ),
    *(
        "math=-1",
        "math=nan",
        "vector=1e999",
        ",",
        "a" * 10_000,
        "\ud800",
        "\u202e",
        "🙂",
        "\x1b[2J",
        "[bold]x",
        "<script>",
    ),
    *(
        "0.9/0.05/0.05/0",
        "1/0/0",
        "0.5/0.5/nan",
        "0.9/0.1/-0.0",
        "paired",
        "None",
        "null",
        "true",
        "[]",
        "{}",
        "!!python/x",
    ),
)
OBJECTS: tuple[Any, ...] = (
    *(
        -1,
        0,
        2,
        10**30,
        -(2**63),
        1.5,
        float("nan"),
        float("inf"),
        True,
        False,
        b"bytes",
        [],
        {},
        [[]],
        {"": 1},
        {1: 2},
    ),
    *(
        {"train": 1},
        {"train": 0.9, "validation": 0.05, "test": 0.05, "more": 0},
        ["math", 1],
        [None],
        {"math": None},
        object(),
    ),
)
FOLDER_COMMANDS = ("check", "stats", "export", "report", "publish", "verify", "pack", "reproduce")


def spec_fields(draw: random.Random) -> dict[str, Any]:
    """Return overrides of a spec, at least one of which is hostile."""
    names = draw.sample([*field_names(), "numkernels", "config ", "__class__"], draw.randint(1, 3))
    return {name: draw.choice((*VALUES, *OBJECTS)) for name in names}


def command_line(draw: random.Random, out: Path) -> list[str]:
    """Return arguments of a command that builds."""
    words = (
        ["build"]
        if draw.random() < 0.8
        else [draw.choice(("biuld", "", "--", "-", "publish", "mine", "help", "check"))]
    )
    options = [f"--{name.replace('_', '-')}" for name in field_names() if name != "source_comments"]
    options += ["--num-proc", "--show", "--format", "--shard-size", "--bogus", "-n", "-x", "--engine", "--slurm"]
    for _ in range(draw.randint(1, 4)):
        words.append(draw.choice(options))
        if draw.random() < 0.9:
            words.append(str(draw.choice(VALUES)))
    if draw.random() < 0.5:
        words += ["--out", str(out)]
    if draw.random() < 0.3:
        words.insert(draw.randint(0, len(words)), str(draw.choice(VALUES)))
    return words


def yaml_text(draw: random.Random) -> bytes:
    """Return what somebody could have left in a config file."""
    texts = [
        b"", b"- a\n- b\n", b"a: [", b"\xff\xfe", b"\t: x", b"&a [*a]", b"extends: default\nnum_kernels: {a: b}\n",
        b"!!python/object/apply:os.system ['touch owned']", b"a: &a [x,x]\nb: [*a,*a,*a]\n",
        b"extends: ../../etc/passwd\n", b"extends: nothing\nsummary: x\n", b"extends: [1]\n", b"1: 2\n",
        b"num_kernels: 1e9999\n", b"\x00\x01", b"a: 'x", b"{" * 300, b"summary: x\nsplits: 3\n", b"---\n---\n", b"null",
    ]  # fmt: skip
    text = bytearray(draw.choice(texts))
    if text and draw.random() < 0.3:
        text[draw.randrange(len(text))] = draw.randrange(256)
    return bytes(text)


def edit_manifest(draw: random.Random, manifest: Path) -> None:
    """Put hostile values into a manifest, or break its text."""
    if draw.random() < 0.3:
        data = bytearray(manifest.read_bytes())
        kind = draw.randrange(4)
        if kind == 0:
            del data[draw.randrange(len(data)) :]
        elif kind == 1:
            data[draw.randrange(len(data))] = draw.randrange(256)
        elif kind == 2:
            data = bytearray(b"[" * 100_000)
        else:
            data = bytearray(
                draw.choice((b"", b"null", b"[]", b"{}", b"\xff", b'{"format": "warp_cuda_pairs"}', b"1e999"))
            )
        manifest.write_bytes(data)
        return
    loaded = json.loads(manifest.read_text())
    for _ in range(draw.randint(1, 2)):
        _edit(draw, loaded)
    manifest.write_text(json.dumps(loaded))


def _edit(draw: random.Random, node: Any) -> None:
    """Go down to a random place of some JSON and put something else there."""
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = draw.choice(keys)
        below = node[key]
        if isinstance(below, (dict, list)) and below and draw.random() < 0.8:
            node = below
            continue
        kind = draw.randrange(3)
        if kind == 0:
            del node[key]
        elif kind == 1 and isinstance(node, dict):
            node[str(draw.choice(VALUES)).encode("utf-8", "replace").decode()] = node.pop(key)
        else:
            values = (
                None,
                -1,
                10**30,
                1.5,
                True,
                [],
                {},
                [[]],
                "",
                "../../outside",
                "/etc/passwd",
                "a/../b",
                "\x00",
                "x" * 9999,
            )
            node[key] = draw.choice(values)
        return


def spoil_folder(draw: random.Random, folder: Path, outside: Path) -> None:
    """Do something to one file of a built folder."""
    victim = draw.choice(sorted(path for path in folder.rglob("*") if path.is_file()))
    data = victim.read_bytes()
    kind = draw.randrange(9)
    if kind == 0:
        victim.write_bytes(data[: draw.randrange(len(data))])
    elif kind == 1:
        place = draw.randrange(len(data))
        victim.write_bytes(data[:place] + bytes([data[place] ^ 1 << draw.randrange(8)]) + data[place + 1 :])
    elif kind == 2:
        victim.write_bytes(
            draw.choice((b"", b"\x00" * 100, b"ARROW1\x00\x00" + b"\xff" * 64, b"PAR1" * 9, os.urandom(0)))
        )
    elif kind == 3:
        victim.unlink()
        victim.mkdir()
    elif kind == 4:
        victim.unlink()
        victim.symlink_to(outside)
    elif kind == 5:
        victim.unlink()
        victim.symlink_to(victim)
    elif kind == 6:
        victim.unlink()
        os.mkfifo(victim)
    elif kind == 7:
        (folder / "data" / draw.choice(("\n.arrow", "x" * 200, "-rf", "builder.py", "$(id)"))).write_bytes(b"x")
    else:
        victim.unlink()


def folder_command(draw: random.Random, folder: Path, out: Path) -> list[str]:
    """Return a command that reads a built folder."""
    name = draw.choice(FOLDER_COMMANDS)
    more = {
        "export": [str(out)],
        "report": ["--out", str(out) + ".html"],
        "publish": ["nobody/nothing"],
        "verify": ["--level", draw.choice(LEVELS[:1])],  # no level: its rows would be run
        "pack": [str(out), "--tokenizer", "default", "--max-length", "64"],
        "reproduce": ["0123456789abcdef", "--folder", str(folder)],
    }
    return [name, *([] if name == "reproduce" else [str(folder)]), *more.get(name, [])]
