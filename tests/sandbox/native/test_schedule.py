"""Schedules of cron jobs, as a real server takes and refuses them."""

import pytest

from kubectl_kruise.sandbox.native.checks.schedule import schedule_problem


@pytest.mark.parametrize(
    "text", ["*/5 * * * *", "0 0 * * SUN", "1-5,7 */2 1 jan-mar ?", "@hourly", "@every 5m", "@every 1h30m"]
)
def test_schedules_that_are_taken(text):
    assert schedule_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("foo", "expected exactly 5 fields, found 1: [foo]"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("0 0 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("0 0 * * 8", "end of range (8) above maximum (6): 8"),
        ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("@often", "unrecognized descriptor: @often"),
    ],
)
def test_schedules_that_are_refused(text, problem):
    assert schedule_problem(text) == problem
