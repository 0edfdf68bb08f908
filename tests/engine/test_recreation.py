"""When a request to restart containers is to be looked at again ([C-9])."""

import pytest

from kubectl_kruise.engine.recreation import ANSWER_SECONDS, when_due
from kubectl_kruise.objects.notation.timestamp import rfc3339

CREATED = 1_800_000_000.0


def request(status: dict | None = None, **spec: int) -> dict:
    return {"metadata": {"creationTimestamp": rfc3339(CREATED)}, "spec": spec, "status": status or {}}


@pytest.mark.parametrize(
    ("made", "due"),
    [
        (request(), CREATED + ANSWER_SECONDS),
        (request({"phase": "Recreating"}), None),
        (request({"phase": "Recreating"}, activeDeadlineSeconds=90), CREATED + 90),
        (request(activeDeadlineSeconds=int(ANSWER_SECONDS) + 5), CREATED + ANSWER_SECONDS),
        (request(activeDeadlineSeconds=1), CREATED + 1),
        (request({"completionTime": rfc3339(CREATED + 7)}, activeDeadlineSeconds=9), None),
        (request({"completionTime": rfc3339(CREATED + 7)}, ttlSecondsAfterFinished=30), CREATED + 37),
    ],
    ids=[
        "nobody has answered", "answered, without a deadline", "answered, with a deadline", "the daemon's time ends first",
        "the deadline comes first", "over, kept for ever", "over, kept for a while",
    ],
)  # fmt: skip
def test_when_it_is_due(made: dict, due: float | None) -> None:
    assert when_due(made) == due
