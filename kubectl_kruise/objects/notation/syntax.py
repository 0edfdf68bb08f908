"""What names, label keys and label values may look like, in the words of the API server.

Each check gives the list of complaints, empty for good text. Source: apimachinery's validation of names and labels.
"""

import re
from typing import Final

_LABEL_MAX: Final = 63
_SUBDOMAIN_MAX: Final = 253
# Texts, compiled when first needed: few commands need them, and all of them read this module.
_NAME = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"

_ALPHANUMERIC = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"


def label_key_problems(key: str) -> list[str]:
    """Check `name` or `prefix/name` (a qualified name)."""
    prefix, slash, name = key.rpartition("/")
    if key.count("/") > 1:
        return [_qualified_format()]
    problems = []
    if slash:
        if not prefix:
            problems.append("prefix part must be non-empty")
        else:
            problems.extend(f"prefix part {problem}" for problem in subdomain_problems(prefix))
    if not name:
        problems.append("name part must be non-empty")
    elif len(name.encode()) > _LABEL_MAX:
        problems.append(f"name part must be no more than {_LABEL_MAX} bytes")
    if not re.fullmatch(_NAME, name):
        problems.append(f"name part {_ALPHANUMERIC}{_examples(_NAME, 'MyName', 'my.name', '123-abc')}")
    return problems


def label_value_problems(value: str) -> list[str]:
    problems = []
    if len(value.encode()) > _LABEL_MAX:
        problems.append(f"must be no more than {_LABEL_MAX} bytes")
    if not re.fullmatch(_VALUE, value):
        problems.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
            f" start and end with an alphanumeric character{_examples(_VALUE, 'MyValue', 'my_value', '12345')}"
        )
    return problems


def label_problems(text: str) -> list[str]:
    """Check a DNS-1123 label: names of containers, volumes, namespaces."""
    problems = []
    if len(text.encode()) > _LABEL_MAX:
        problems.append(f"must be no more than {_LABEL_MAX} bytes")
    if not re.fullmatch(_LABEL, text):
        problems.append(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
            f" end with an alphanumeric character{_examples(_LABEL, 'my-name', '123-abc')}"
        )
    return problems


def subdomain_problems(text: str) -> list[str]:
    """Check a DNS-1123 subdomain: names of most objects."""
    problems = []
    if len(text.encode()) > _SUBDOMAIN_MAX:
        problems.append(f"must be no more than {_SUBDOMAIN_MAX} bytes")
    if not re.fullmatch(_SUBDOMAIN, text):
        problems.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
            f" start and end with an alphanumeric character{_examples(_SUBDOMAIN, 'example.com')}"
        )
    return problems


def _examples(pattern: str, *examples: str) -> str:
    listed = ",  or ".join(f"'{example}'" for example in examples)
    return f" (e.g. {listed}, regex used for validation is '{pattern}')"


def _qualified_format() -> str:
    examples = _examples(_NAME, "MyName", "my.name", "123-abc")
    return f"a qualified name {_ALPHANUMERIC}{examples} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
