"""The quick reader either agrees with PyYAML or leaves the text to it."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kubectl_kruise.cluster.login.plainyaml import read_plain
from tests.cluster.login.kubeconfigs import BLOCK, REFUSED, ROWS

KUBECTL = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1J+/aQ==
    server: https://ABC.gr7.eu-west-1.eks.amazonaws.com
  name: arn:aws:eks:eu-west-1:123:cluster/shop
contexts:
- context:
    cluster: arn:aws:eks:eu-west-1:123:cluster/shop
    namespace: shop
    user: arn:aws:eks:eu-west-1:123:cluster/shop
  name: shop
current-context: shop
kind: Config
preferences: {}
users:
- name: arn:aws:eks:eu-west-1:123:cluster/shop
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      args:
      - --region
      - eu-west-1
      - -o
      command: aws
      env: null
      installHint: ""
      interactiveMode: IfAvailable
      provideClusterInfo: false
"""
INDENTED = """\
---
# written by an installer
kind: Config
clusters:
  - name: "kind-kind"
    cluster:
      server: 'https://127.0.0.1:6443'

users:
extensions: []
"""


@pytest.mark.parametrize("text", [KUBECTL, INDENTED, BLOCK])
def test_what_tools_write_is_read(text):
    assert read_plain(text) == yaml.safe_load(text)
    assert read_plain(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "a: 1",
        "a: 1.5",
        "a: 2026-01-01",
        "a: yes",
        "a: True",
        "yes: a",
        "a: ~",
        "a: b: c",
        "a: b:",
        "a: b # c",
        "a: &x b",
        "a: *x",
        "a: !!str b",
        "a: |\n  b",
        "a: b\n  c",
        "a:\n  b\n  c",
        "a: {b: {c: d}}",
        "a: {b: c, b: d}",
        "a: {b: 'c, d: e'}",
        "a: {b}",
        "a: {b: }",
        "a: {b: c,}",
        "a: { b: c }",
        "a: {b: c",
        "a: {yes: c}",
        "{b: c}",
        "a: [b]",
        'a: "b\\n"',
        'a: "b" c',
        "a: 'it''s'",
        "a: b\na: c",
        "a:\tb",
        "a: é",
        "a: b\r\n",
        "- a",
        "a:\n- - b",
        "a:\n-  b: c",
        "a:\n-",
        "a:\n  - b\n c: d",
        "a:\n    b: c\n  d: e",
        " a: b",
        "a",
        "",
        "# nothing",
        "--- a",
        "a: b\n---\nc: d",
        "a: -.inf",
        "a: =",
        "<<: a",
        "'a': b",
        "a : b",
        "? a",
        "a:b",
    ],
)
def test_anything_else_is_left_to_the_library(text):
    assert read_plain(text) is None


@pytest.mark.parametrize("row", [*ROWS, *REFUSED], ids=lambda row: row.id)
def test_no_kubeconfig_is_read_differently(row):
    for text in row.files.values():
        try:
            expected = yaml.safe_load(text)
        except yaml.YAMLError:
            expected = None

        assert read_plain(text) in (None, expected)


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.dates(),
    st.text(max_size=8), st.text("ayesnof-.:/#'\" {}[]&*!|>%@`0123~=<\t", max_size=6),
)  # fmt: skip
KEYS = st.one_of(st.text("abyesno-_: ", min_size=1, max_size=5), st.sampled_from(["on", "name", "null"]))
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(KEYS, TREES, min_size=1, max_size=3), st.integers(2, 4), st.sampled_from([None, False])
)
def test_whatever_a_library_writes_is_read_as_it_was_meant(tree, indent, style):
    text = yaml.safe_dump(tree, indent=indent, default_flow_style=style, allow_unicode=True)

    assert read_plain(text) in (None, tree)


LINES = st.lists(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", " ", "  ", "    "]),
        st.sampled_from(["", "- ", "-  ", "a: ", "- a: ", "b:", "c:", "- d:"]),
        st.sampled_from(
            [
                "",
                "x",
                "-x",
                "--x",
                "true",
                "'q'",
                '"q"',
                "{}",
                "[]",
                "x y",
                "x:",
                "1",
                "#x",
                "null",
                "{a: b}",
                "{a: 'b', c: {}}",
                "{a: b, ",
            ]
        ),
    ),
    max_size=6,
)


@settings(max_examples=400, deadline=None)
@given(LINES)
def test_lines_put_together_at_random_are_never_read_differently(lines):
    text = "\n".join(lines)
    mine = read_plain(text)

    if mine is not None:
        assert yaml.safe_load(text) == mine
