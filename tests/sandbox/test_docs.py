"""The example in the sandbox's documentation runs as it stands there."""

import re

from tests.places import ROOT
from tests.sandbox.registry.test_kinds import CLONES, _cloneset

TEXT = (ROOT / "docs" / "sandbox.md").read_text("utf-8")


def test_the_example_for_tests_brings_a_cloneset_up():
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {"manifest": _cloneset(replicas=3)}
    exec(compile(example, "sandbox.md", "exec"), names)

    assert names["client"].get(f"{CLONES}/a")["status"]["readyReplicas"] == 3
