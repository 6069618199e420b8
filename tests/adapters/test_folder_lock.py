from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer.adapters.folder_lock import FolderBusy, FolderLock

HOLD = "import sys; from pathlib import Path; from gossamer.adapters.folder_lock import FolderLock; "


def test_held_once_and_free_after_release(tmp_path: Path) -> None:
    with FolderLock(tmp_path / "lock"):
        with pytest.raises(FolderBusy) as raised:
            FolderLock(tmp_path / "lock")
        assert raised.value.process == os.getpid()
    lock = FolderLock(tmp_path / "lock")
    lock.release()
    lock.release()


def test_a_killed_process_leaves_it_free(tmp_path: Path) -> None:
    code = HOLD + "lock = FolderLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    source = Path(__file__).parents[2] / "src"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "lock")],
        env={"PYTHONPATH": str(source)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(FolderBusy) as raised:
            FolderLock(tmp_path / "lock")
        assert raised.value.process == child.pid
        child.kill()
        child.wait()
    FolderLock(tmp_path / "lock").release()


def test_a_holder_that_said_nothing(tmp_path: Path) -> None:
    first = FolderLock(tmp_path / "lock")
    (tmp_path / "lock").write_bytes(b"what?")
    with pytest.raises(FolderBusy) as raised:
        FolderLock(tmp_path / "lock")
    assert raised.value.process == 0
    first.release()


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FolderLock(tmp_path / "absent" / "lock")


def test_processes_that_outlive_the_holder_are_waited_for(tmp_path: Path) -> None:
    code = HOLD + (
        "import subprocess; lock = FolderLock(Path(sys.argv[1])); "
        "subprocess.Popen(['sleep', '0.3'], pass_fds=[lock.descriptor]); print('held', flush=True)"
    )
    source = Path(__file__).parents[2] / "src"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "lock")],
        env={"PYTHONPATH": str(source), "PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    assert done.returncode == 0
    FolderLock(tmp_path / "lock").release()
