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
_EMPTY_OR_ALPHANUMERIC = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must"
    " start and end with an alphanumeric character"
)
_LABEL_WORDS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and"
    " end with an alphanumeric character"
)
_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must"
    " start and end with an alphanumeric character"
)


def label_key_problems(key: str) -> list[str]:
    """Check `name` or `prefix/name` (a qualified name)."""
    prefix, slash, name = key.rpartition("/")
    if key.count("/") > 1:
        return [_qualified_format()]
    problems = []
    if slash:
        found = subdomain_problems(prefix) if prefix else ["must be non-empty"]
        problems += [f"prefix part {problem}" for problem in found]
    empty = [] if name else ["must be non-empty"]
    found = _problems(name, _LABEL_MAX, _NAME, _ALPHANUMERIC, "MyName", "my.name", "123-abc")
    return problems + [f"name part {problem}" for problem in empty + found]


def label_value_problems(value: str) -> list[str]:
    return _problems(value, _LABEL_MAX, _VALUE, _EMPTY_OR_ALPHANUMERIC, "MyValue", "my_value", "12345")


def label_problems(text: str) -> list[str]:
    """Check a DNS-1123 label: names of containers, volumes, namespaces."""
    return _problems(text, _LABEL_MAX, _LABEL, _LABEL_WORDS, "my-name", "123-abc")


def subdomain_problems(text: str) -> list[str]:
    """Check a DNS-1123 subdomain: names of most objects."""
    return _problems(text, _SUBDOMAIN_MAX, _SUBDOMAIN, _SUBDOMAIN_WORDS, "example.com")


def _problems(text: str, longest: int, pattern: str, words: str, *examples: str) -> list[str]:
    """Say what is wrong: longer than so many bytes, not of the pattern, which `words` and examples explain."""
    problems = [f"must be no more than {longest} bytes"] if len(text.encode()) > longest else []
    if not re.fullmatch(pattern, text):
        problems.append(f"{words}{_examples(pattern, *examples)}")
    return problems


def _examples(pattern: str, *examples: str) -> str:
    listed = ",  or ".join(f"'{example}'" for example in examples)
    return f" (e.g. {listed}, regex used for validation is '{pattern}')"


def _qualified_format() -> str:
    examples = _examples(_NAME, "MyName", "my.name", "123-abc")
    return f"a qualified name {_ALPHANUMERIC}{examples} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
