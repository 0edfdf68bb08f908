"""CloneSets in their other version (cloneset.md §1.8, §28)."""

from kubectl_kruise.engine.cloneset.conversion import convert_cloneset


def test_a_strategy_of_v1alpha1_becomes_a_rolling_update() -> None:  # ex. 57
    strategy = {"type": "InPlaceIfPossible", "partition": 2, "maxUnavailable": "20%", "maxSurge": 1}
    old = {
        "apiVersion": "apps.kruise.io/v1alpha1",
        "kind": "CloneSet",
        "metadata": {"name": "demo"},
        "spec": {"selector": {}, "template": {}, "updateStrategy": strategy},
    }

    spec = convert_cloneset(old, "v1beta1")["spec"]

    assert spec["updateStrategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {
            "podUpdatePolicy": "InPlaceIfPossible",
            "partition": 2,
            "maxUnavailable": "20%",
            "maxSurge": 1,
        },
    }
    assert spec["scaleStrategy"]["enablePVCReuse"] is True
