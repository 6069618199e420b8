"""No tracked file names a package registry's host or a path of somebody's machine."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("deb", "debian", "org"))
"""In parts, so that this file does not break the rule itself."""
FOLDERS = ("work", "farm", "root")
"""Top folders of the machines that this tree has been built on."""

NAMES = re.compile(
    "|".join([*(re.escape(".".join(parts)) for parts in HOSTS), *(f"/{folder}/" for folder in FOLDERS)]),
    re.IGNORECASE,
)


def tracked(root: Path) -> list[str]:
    """Files in version control or about to be; a tree without git has them all."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    return sorted({name for name in done.stdout.split("\0") if name})


def find(root: Path) -> list[str]:
    """Lines with such a name."""
    findings: list[str] = []
    for name in tracked(root):
        path = root / name
        if path.is_symlink() or not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").splitlines(), 1):
            found = NAMES.search(line)
            if found:
                findings.append(f"{name}:{number} names {found[0]}: say it without")
    return findings
