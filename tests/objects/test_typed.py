"""Templates come back from the typed form as Kubernetes' own Go types printed or refused them."""

import json

import pytest

from kubectl_kruise.engine.revisions.content import go_json
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.objects.typed import typed
from tests.places import DATA

LINES = (DATA / "revisions" / "typed.jsonl").read_text(encoding="utf-8").split("\n")
ROWS = [json.loads(line) for line in LINES if line]
PRINTED = [(row["template"], row["printed"]) for row in ROWS if "printed" in row]
REFUSED = [(row["template"], row["error"]) for row in ROWS if "error" in row]


@pytest.mark.parametrize(("template", "printed"), PRINTED, ids=range(len(PRINTED)))
def test_printed(template: Raw, printed: str) -> None:
    assert go_json(typed(template, "PodTemplateSpec")) == printed


@pytest.mark.parametrize(("template", "error"), REFUSED, ids=range(len(REFUSED)))
def test_refused(template: Raw, error: str) -> None:
    with pytest.raises(ValueError) as refused:
        typed(template, "PodTemplateSpec")

    assert str(refused.value) == error
