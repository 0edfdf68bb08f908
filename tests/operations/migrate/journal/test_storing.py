"""Files in which journals lie."""

from pathlib import Path

import pytest

from kubectl_kruise.operations.migrate.journal.storing import file_store


@pytest.mark.parametrize("name", ["web", "n" * 253])
def test_a_name_of_any_length_has_a_file(name: str, tmp_path: Path) -> None:
    store = file_store(tmp_path, "s" * 63, name)
    made = store.create({"metadata": {"name": name}, "data": {}})
    assert file_store(tmp_path, "s" * 63, name).get() == made


def test_long_names_that_begin_alike_have_files_of_their_own(tmp_path: Path) -> None:
    first, second = (file_store(tmp_path, "shop", "n" * 252 + end) for end in "ab")
    assert first.path != second.path
