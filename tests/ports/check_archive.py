"""What every archive must do beyond `check_files`: records lie where it said, all records of one call in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import pytest

from gossamer.simulation.entropy import SimEntropy

if TYPE_CHECKING:
    from gossamer.core.warc.location import Location
    from gossamer.ports.archive import Archive


class Harness(Protocol):
    """Opens an archive whose files close after a few kilobytes, and reads what lies on its disk."""

    def open(self) -> Archive: ...

    def read(self, location: Location) -> bytes:
        """The record there, uncompressed."""
        ...


def commit(archive: Archive) -> None:
    archive.marks()
    archive.sync()
    archive.acknowledge()


def check_records_lie_where_it_said(harness: Harness) -> None:
    archive = harness.open()
    records = [bytes([number]) * (1 + 300 * number) for number in range(12)]
    locations = [location for start in range(0, 12, 3) for location in archive.append(records[start : start + 3])]
    commit(archive)
    assert [harness.read(location) for location in locations] == records
    for location in locations:
        assert location.file.startswith("archive/")
        assert location.offset > 0, "the warcinfo record comes first"


def check_the_records_of_one_call_lie_in_one_file(harness: Harness) -> None:
    archive, noise = harness.open(), SimEntropy(5)
    files: list[str] = []
    for number in range(40):
        locations = archive.append([noise.bytes(300) for _ in range(3)])
        assert len({location.file for location in locations}) == 1
        files.append(locations[0].file)
        archive.index(f"org,example)/{number} 20260101000000 {{}}", 0, number + 1)
        commit(archive)
    assert len(set(files)) > 2, "files roll over"
    assert files == sorted(files), "their names tell their order"


def check_the_warcinfo_id_is_that_of_the_file_written_to(harness: Harness) -> None:
    archive, noise = harness.open(), SimEntropy(5)
    identities: dict[str, str] = {}
    for _ in range(40):
        identity = archive.warcinfo_id
        (location,) = archive.append([noise.bytes(900)])
        assert identities.setdefault(location.file, identity) == identity
        commit(archive)
    assert len(set(identities.values())) == len(identities) > 2


def check_a_line_with_a_line_end_is_misuse(harness: Harness) -> None:
    archive = harness.open()
    for line in ("a\nb", "a\rb"):
        with pytest.raises(ValueError, match="line end"):
            archive.index(line, 0, 1)


CHECKS: Final = [
    check_records_lie_where_it_said,
    check_the_records_of_one_call_lie_in_one_file,
    check_the_warcinfo_id_is_that_of_the_file_written_to,
    check_a_line_with_a_line_end_is_misuse,
]
