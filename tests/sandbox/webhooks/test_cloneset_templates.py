"""CloneSets whose pod template Kubernetes itself objects to: the webhook passes its complaints on."""

import json

import pytest

from kubectl_kruise.engine.admission.cloneset_defaults import default_cloneset
from kubectl_kruise.engine.admission.cloneset_validation import validate_cloneset
from kubectl_kruise.engine.admission.complaint import Refusal, refusal
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.native.checks.pod.spec import check_template
from tests.places import DATA

ROWS = [json.loads(line) for line in (DATA / "admission" / "cloneset-create.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("row", [row for row in ROWS if row["code"] != 400], ids=lambda row: row["title"])
def test_answers_with_the_checks_of_pods(row: Raw) -> None:
    complaints = validate_cloneset(
        default_cloneset(row["object"]), None, {}.get, check_template=check_template
    )

    expected = Refusal(row["code"], row["message"]) if "message" in row else None
    assert refusal("vcloneset.kb.io", complaints) == expected
