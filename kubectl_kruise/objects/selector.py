"""Label selectors: what they match, and their text form (cloneset.md §22.1 `labelSelector`).

The string form is read by `objects.notation.selector_grammar`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from kubectl_kruise.objects.notation.syntax import label_key_problems, label_value_problems
from kubectl_kruise.objects.raw import Raw

_INTEGER = r"[+-]?[0-9]+"


class Operator(StrEnum):
    IN = "in"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_IN = "notin"
    NOT_EQUALS = "!="
    EXISTS = "exists"
    ABSENT = "!"
    GREATER = "gt"
    LESS = "lt"


_FROM_EXPRESSION = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.ABSENT,
}
_SYMBOL = {Operator.GREATER: ">", Operator.LESS: "<"}


class Requirement(NamedTuple):
    """One condition; `values` are sorted and without repetitions."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        match self.operator:
            case Operator.IN | Operator.EQUALS | Operator.DOUBLE_EQUALS:
                return value is not None and value in self.values
            case Operator.NOT_IN | Operator.NOT_EQUALS:
                return value is None or value not in self.values
            case Operator.EXISTS:
                return value is not None
            case Operator.ABSENT:
                return value is None
            case Operator.GREATER | Operator.LESS:
                if value is None or not re.fullmatch(_INTEGER, value):
                    return False
                limit = int(self.values[0])
                return int(value) > limit if self.operator is Operator.GREATER else int(value) < limit

    def __str__(self) -> str:
        match self.operator:
            case Operator.EXISTS:
                return self.key
            case Operator.ABSENT:
                return f"!{self.key}"
            case Operator.IN | Operator.NOT_IN:
                return f"{self.key} {self.operator} ({','.join(self.values)})"
            case _:
                return f"{self.key}{_SYMBOL.get(self.operator, self.operator)}{','.join(self.values)}"


class Selector(NamedTuple):
    """All of `requirements`, sorted by key; none of them matches everything. `nothing` matches no object at all."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False

    def matches(self, labels: Mapping[str, str]) -> bool:
        return not self.nothing and all(requirement.matches(labels) for requirement in self.requirements)

    @property
    def empty(self) -> bool:
        """Whether nothing is asked for, so that everything matches."""
        return not self.requirements and not self.nothing

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


def requirement(key: str, operator: Operator, values: Iterable[str] = ()) -> Requirement:
    """Build a checked requirement. Raises ValueError in the words of the API server."""
    listed = tuple(sorted(set(values)))
    problems = _invalid("key", key, label_key_problems(key)) + _value_count_problems(operator, listed)
    for index, value in enumerate(listed):
        if operator in _SYMBOL and not re.fullmatch(_INTEGER, value):
            complaint = "for 'Gt', 'Lt' operators, the value must be an integer"
            problems += _invalid(f"values[{index}]", value, [complaint])
    for index, value in enumerate(listed):
        problems += _invalid(f"values[{index}][{key}]", value, label_value_problems(value))
    if problems:
        raise ValueError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return Requirement(key, operator, listed)


def sorted_selector(requirements: Iterable[Requirement]) -> Selector:
    return Selector(tuple(sorted(requirements, key=lambda each: each.key)))


def selector_of(raw: Raw | None) -> Selector:
    """Read a LabelSelector object: null matches nothing, an empty one everything.

    Raises ValueError in the words of the API server for an operator or value that cannot be.
    """
    if raw is None:
        return Selector(nothing=True)
    wanted = [
        requirement(key, Operator.EQUALS, [value]) for key, value in (raw.get("matchLabels") or {}).items()
    ]
    for expression in raw.get("matchExpressions") or []:
        word = expression.get("operator") or ""
        operator = _FROM_EXPRESSION.get(word)
        if operator is None:
            raise ValueError(f"{json.dumps(word)} is not a valid label selector operator")
        wanted.append(requirement(expression.get("key") or "", operator, expression.get("values") or []))
    return sorted_selector(wanted)


def _value_count_problems(operator: Operator, values: tuple[str, ...]) -> list[str]:
    match operator:
        case Operator.IN | Operator.NOT_IN:
            wrong, complaint = not values, "for 'in', 'notin' operators, values set can't be empty"
        case Operator.EXISTS | Operator.ABSENT:
            wrong, complaint = bool(values), "values set must be empty for exists and does not exist"
        case Operator.GREATER | Operator.LESS:
            wrong, complaint = len(values) != 1, "for 'Gt', 'Lt' operators, exactly one value is required"
        case _:
            wrong, complaint = len(values) != 1, "exact-match compatibility requires one single value"
    return (
        [f"values: Invalid value: {json.dumps(values, separators=(',', ':'))}: {complaint}"] if wrong else []
    )


def _invalid(field: str, value: str, complaints: list[str]) -> list[str]:
    if not complaints:
        return []
    return [f"{field}: Invalid value: {json.dumps(value, ensure_ascii=False)}: {'; '.join(complaints)}"]
