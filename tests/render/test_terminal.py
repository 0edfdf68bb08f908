import io

import pytest

from kubectl_kruise.render.terminal import wants_color, wants_live, width_of


class Stream(io.StringIO):
    def __init__(self, *, tty: bool) -> None:
        super().__init__()
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


@pytest.mark.parametrize(
    ("choice", "env", "tty", "color"),
    [
        pytest.param("always", {"NO_COLOR": "1"}, False, True, id="the flag first"),
        pytest.param("never", {"FORCE_COLOR": "1"}, True, False, id="also the other way"),
        pytest.param(
            "auto",
            {"NO_COLOR": "1", "FORCE_COLOR": "1", "TERM": "xterm"},
            True,
            False,
            id="NO_COLOR beats force",
        ),
        pytest.param(
            "auto", {"NO_COLOR": "", "TERM": "xterm"}, True, True, id="an empty NO_COLOR says nothing"
        ),
        pytest.param("auto", {"CLICOLOR_FORCE": "1"}, False, True, id="forced in a pipe"),
        pytest.param("auto", {"FORCE_COLOR": "0", "TERM": "xterm"}, False, False, id="0 forces nothing"),
        pytest.param("auto", {"CLICOLOR": "0", "TERM": "xterm"}, True, False, id="CLICOLOR=0"),
        pytest.param("auto", {"TERM": "dumb"}, True, False, id="a dumb terminal"),
        pytest.param("auto", {}, True, False, id="no TERM at all"),
        pytest.param("auto", {"TERM": "xterm"}, False, False, id="a pipe"),
        pytest.param("auto", {"TERM": "xterm"}, True, True, id="a terminal"),
    ],
)
def test_colour_is_decided_in_this_order(
    choice: str, env: dict[str, str], tty: bool, color: bool
) -> None:  # cli.md §3.3
    assert wants_color(Stream(tty=tty), choice, env) is color


def test_nothing_is_redrawn_in_a_ci_log() -> None:
    assert wants_live(Stream(tty=True), {"TERM": "xterm"})
    assert not wants_live(Stream(tty=True), {"TERM": "xterm", "CI": "true"})
    assert not wants_live(Stream(tty=False), {"TERM": "xterm"})


def test_a_pipe_has_no_width_unless_it_is_told() -> None:
    assert width_of(Stream(tty=False), {}) is None
    assert width_of(Stream(tty=False), {"COLUMNS": "100"}) == 100
