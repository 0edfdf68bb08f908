"""`convert -f`: sets of v1alpha1 manifests in v1beta1, all else as it was (advanced-statefulset.md §8; fault B170)."""

import json
from pathlib import Path

import pytest
import yaml

from tests.verbs.conftest import Shell

WEB = "statefulset.apps.kruise.io/web"
OLD = """\
# ümläut 🎉
apiVersion: apps.kruise.io/v1alpha1   # old
kind: StatefulSet
metadata:
  name: web
spec:
  # none of these
  reserveOrdinals:
  - 1   # first

  # about replicas
  replicas: 3
  lifecycle:
    preDelete:
      labelsHandler: {a: b}

  # the end
---
# nothing but a comment
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: native}
"""
NEW = """\
# ümläut 🎉
apiVersion: apps.kruise.io/v1beta1   # old
kind: StatefulSet
metadata:
  name: web
spec:
  # none of these

  # about replicas
  replicas: 3

  # the end
---
# nothing but a comment
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: native}
"""
MIGRATE = "native StatefulSets are moved by kubectl kruise migrate"
SAID = f"""\
{WEB} v1alpha1 → v1beta1
Warning: {WEB}: spec.reserveOrdinals dropped: v1alpha1 has no such field, so no server took it
Warning: {WEB}: spec.lifecycle dropped: v1alpha1 has no such field, so no server took it
"""


@pytest.fixture
def write(tmp_path: Path):
    def write(text: str, name: str = "web.yaml") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


def manifest(version: str = "v1alpha1", name: str = "web", **spec: object) -> dict[str, object]:
    return {
        "apiVersion": f"apps.kruise.io/{version}",
        "kind": "StatefulSet",
        "metadata": {"name": name},
        "spec": {"replicas": 1, **spec},
    }


def test_text_stays_as_somebody_wrote_it_and_no_server_is_asked(shell: Shell, write) -> None:
    shell.check(["convert", "-f", str(write(OLD))], 0, NEW, SAID)

    assert shell.transport.seen == []


def test_strict_prints_the_manifest_but_fails(shell: Shell, write) -> None:
    said = f"{SAID}error: converted without spec.reserveOrdinals, spec.lifecycle\n"

    shell.check(["convert", "-f", str(write(OLD)), "--strict"], 3, NEW, said)


def test_what_is_converted_already_stays_and_may_come_from_stdin(shell: Shell) -> None:
    shell.check("convert -f - --strict", 0, NEW, f"{WEB} is v1beta1 already\n", piped=NEW)


@pytest.mark.parametrize("last", ["", "\n"], ids=["no newline", "newline"])
def test_files_of_a_folder_are_documents_behind_each_other(shell: Shell, write, last: str) -> None:
    write(json.dumps(manifest(name="a")) + last, "all/a.json")
    folder = write("kind: ConfigMap\n", "all/b.yml").parent
    write("not: read", "all/readme.txt")

    code, out, _ = shell.run(["convert", "-f", str(folder)])

    assert code == 0
    assert out == json.dumps(manifest("v1beta1", "a")) + "\n---\nkind: ConfigMap\n"


ITEMS = [
    manifest(reserveOrdinals=[1]),
    {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "native"}},
    {"apiVersion": "v1", "kind": "List", "items": [manifest(name="inner"), "odd"]},
]
CONVERTED = [
    manifest("v1beta1"),
    ITEMS[1],
    {"apiVersion": "v1", "kind": "List", "items": [manifest("v1beta1", "inner"), "odd"]},
]


@pytest.mark.parametrize("indent", [None, 2])
def test_lists_keep_their_shape(shell: Shell, indent: int | None) -> None:
    def listed(items: object) -> str:
        return json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=indent) + "\n"

    code, out, _ = shell.run(["convert", "-f", "-"], piped=listed(ITEMS))

    assert (code, json.loads(out)) == (0, json.loads(listed(CONVERTED)))


def test_a_list_of_sets_says_once_which_version_they_are(shell: Shell) -> None:
    listed = """\
apiVersion: apps.kruise.io/v1alpha1
kind: StatefulSetList
items:
- metadata: {name: web}
  spec: {scaleStrategy: {}, replicas: 2, ordinals: {start: 1}, lifecycle: {}}
"""
    wanted = listed.replace("v1alpha1", "v1beta1").replace(
        "{scaleStrategy: {}, replicas: 2, ordinals: {start: 1}, lifecycle: {}}", "{replicas: 2}"
    )

    code, out, _ = shell.run(["convert", "-f", "-"], piped=listed)

    assert (code, out) == (0, wanted)


def test_json_becomes_yaml_and_yaml_json_where_asked(shell: Shell, write) -> None:
    source = json.dumps(manifest())

    code, out, _ = shell.run(["convert", "-f", "-", "-o", "yaml"], piped=source)
    assert (code, yaml.safe_load(out), out[0]) == (0, manifest("v1beta1"), "a")

    code, out, _ = shell.run(["convert", "-f", str(write(OLD)), "-o", "json"])
    assert code == 0
    assert [item["apiVersion"] for item in json.loads(out)["items"]] == ["apps.kruise.io/v1beta1", "apps/v1"]


def test_what_hangs_on_a_reference_is_written_anew(shell: Shell) -> None:
    text = (
        "apiVersion: &old apps.kruise.io/v1alpha1\nkind: StatefulSet\nmetadata: {name: web}\n"
        "spec: {template: {metadata: {annotations: {was: *old}}}}\n"
    )

    code, out, err = shell.run(["convert", "-f", "-"], piped=text)

    assert code == 0
    assert yaml.safe_load(out)["apiVersion"] == "apps.kruise.io/v1beta1"
    assert yaml.safe_load(out)["spec"]["template"]["metadata"]["annotations"] == {
        "was": "apps.kruise.io/v1alpha1"
    }
    assert "Warning: stdin is written anew, without its comments: its layout cannot be kept" in err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("convert", "error: no manifest given\n  hint: -f FILE, a folder, or - for stdin\n"),
        ("convert -f - -o name", 'error: unknown output format "name"\n  hint: one of yaml, json\n'),
        (
            "convert -f -",
            f"error: no StatefulSet of apps.kruise.io in -\n  hint: {MIGRATE}\n",
        ),
    ],
)
def test_what_cannot_be_converted(shell: Shell, line: str, said: str) -> None:
    shell.check(line, 2, "", said, piped="apiVersion: apps/v1\nkind: StatefulSet\n")
