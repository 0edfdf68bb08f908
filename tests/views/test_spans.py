"""Commands that are to be copied from a narrow terminal."""

import pytest

from kubectl_kruise.views.spans import plain, shell_lines

COMMAND = "kubectl kruise rollout undo --resume cloneset/a-rather-long-name-of-a-workload -n shop"


@pytest.mark.parametrize("width", range(20, 120, 7))
def test_a_broken_command_is_still_the_same_to_a_shell(width: int) -> None:
    text = plain(shell_lines("  undo: ", COMMAND, width))

    assert max(map(len, text.splitlines())) <= width
    assert text.replace("\\\n", "").split() == ["undo:", *COMMAND.split()]


def test_a_command_that_fits_is_left_alone() -> None:
    assert plain(shell_lines("  undo: ", COMMAND, len(COMMAND) + 8)) == f"  undo: {COMMAND}\n"


def test_words_are_broken_only_where_they_have_to_be() -> None:
    assert plain(shell_lines("  look: ", "kubectl kruise tree clone/web -n shop", 30)) == (
        "  look: kubectl kruise tree \\\n    clone/web -n shop\n"
    )
