"""Known weaknesses of the installed packages: pip-audit, and how much of them it could look at.

    python -m tools.audit

pip-audit ends well where it found no package in its database, so what it checked is counted here. Exit code 1: a
weakness; 0: none in what was checked, which the last line says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

_COMMAND = (*(sys.executable, "-m", "pip_audit"), *("--skip-editable", "--progress-spinner", "off", "--format", "json"))


def main() -> int:
    """Run pip-audit in this environment, print what it found and return the exit code."""
    done = subprocess.run(_COMMAND, capture_output=True, text=True, check=False)
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        said = (done.stderr.strip() or "no word").splitlines()[-1]
        print(f"audit: pip-audit cannot be run or has no database ({said}); NOTHING WAS CHECKED", file=sys.stderr)
        return 0
    for package in packages:
        for weakness in package.get("vulns", ()):
            fixed = ", ".join(weakness["fix_versions"]) or "no version"
            print(f"{package['name']} {package['version']}: {weakness['id']}, fixed in {fixed}")
    checked = [package for package in packages if "vulns" in package]
    weak = [package for package in checked if package["vulns"]]
    told = f"audit: {len(checked)} of {len(packages)} packages checked, {len(weak)} with known weaknesses"
    print(told if checked else f"{told}; NOTHING WAS CHECKED", file=sys.stderr)
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
