"""Query parameters of requests, checked (sandbox-apiserver.md T12, L4, W11)."""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import unquote_plus

from kubectl_kruise.objects.notation import field_errors
from kubectl_kruise.objects.notation.field_errors import FieldError
from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox import status
from kubectl_kruise.sandbox.registry.call import LONGEST_MANAGER

META: Final = "meta.k8s.io"
PATCH_OPTIONS: Final = "PatchOptions"
VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")
NEVER_MATCH: Final = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
DELETE_OPTIONS: Final = ("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy")
FALSE: Final = ("false", "0")
LARGEST_VERSION: Final = 2**64 - 1
LARGEST_NUMBER: Final = 2**63 - 1
_ESCAPE: Final = re.compile(r"%(?![0-9a-fA-F]{2})")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DURATION: Final = re.compile(r"[+-]?(?:0|(?:[0-9]+(?:\.[0-9]*)?(?:ns|us|µs|ms|s|m|h))+)")

Query = Mapping[str, Sequence[str]]


def parse_query(text: str) -> Query:
    """Read a query as Go does: what cannot be unescaped, or holds a semicolon, counts for nothing."""
    found: dict[str, list[str]] = {}
    for part in text.split("&"):
        if not part or ";" in part or _ESCAPE.search(part):
            continue
        name, _, value = part.partition("=")
        found.setdefault(unquote_plus(name), []).append(unquote_plus(value))
    return found


def first(query: Query, name: str, default: str = "") -> str:
    values = query.get(name)
    return values[0] if values else default


def flag(query: Query, name: str) -> bool:
    """Read a switch: it is on when it is there at all and does not say otherwise."""
    return name in query and first(query, name).lower() not in FALSE


def check_write(query: Query, kind: str, *, applying: bool = False) -> None:
    """Check the options of a write; `kind` names them in the refusal: CreateOptions and its like.

    An apply needs a manager; no other patch knows `force`.
    """
    errors = []
    dry_run = query.get("dryRun")
    if dry_run is not None and set(dry_run) != {"All"}:
        errors.append(field_errors.not_supported("dryRun", list(dry_run), ["All"]))
    manager = first(query, "fieldManager")
    if applying and not manager:
        errors.append(field_errors.required("fieldManager", "is required for apply patch"))
    errors += _manager_errors(manager)
    validation = first(query, "fieldValidation")
    if validation not in VALIDATIONS:
        errors.append(field_errors.not_supported("fieldValidation", validation, VALIDATIONS))
    if kind == PATCH_OPTIONS and not applying and "force" in query:
        errors.append(field_errors.forbidden("force", "may not be specified for non-apply patch"))
    if errors:
        raise status.invalid(META, kind, "", errors)


def without_delete_options(query: Query) -> Query:
    """Leave out what a deletion with options in its body does not look at, a dry run among them (G1)."""
    return {name: values for name, values in query.items() if name not in DELETE_OPTIONS}


def delete_options(query: Query) -> Raw:
    """Give the DeleteOptions that the query asks for."""
    options: Raw = {}
    if "propagationPolicy" in query:
        options["propagationPolicy"] = first(query, "propagationPolicy")
    if "gracePeriodSeconds" in query:
        options["gracePeriodSeconds"] = number(first(query, "gracePeriodSeconds"))
    if "orphanDependents" in query:
        options["orphanDependents"] = flag(query, "orphanDependents")
    if "dryRun" in query:
        options["dryRun"] = list(query["dryRun"])
    return options


def number(text: str) -> int:
    """Read an integer of 64 bits; refused as Go's parser would."""
    shown = field_errors.compact(text)
    if _INTEGER.fullmatch(text) is None:
        raise status.bad_request(f"strconv.ParseInt: parsing {shown}: invalid syntax")
    if len(text) > len(str(LARGEST_NUMBER)) + 1 or abs(int(text)) > LARGEST_NUMBER:
        raise status.bad_request(f"strconv.ParseInt: parsing {shown}: value out of range")
    return int(text)


def check_times(query: Query) -> None:
    """Refuse numbers and durations that are none, whatever they were meant for."""
    for name in ("limit", "timeoutSeconds"):
        if name in query:
            number(first(query, name))
    timeout = first(query, "timeout")
    if timeout and _DURATION.fullmatch(timeout) is None:
        text = f'time: invalid duration "{timeout}"'
        raise status.bad_request(f"invalid timeout specified in the request URL - {text}")


def version_problem(text: str) -> str:
    """Say what is wrong with a resourceVersion; "" where nothing is."""
    shown = field_errors.compact(text)
    why = ""
    if text and not (text.isdecimal() and text.isascii()):
        why = "invalid syntax"
    elif len(text) > len(str(LARGEST_VERSION)) or int(text or "0") > LARGEST_VERSION:
        why = "value out of range"
    return (
        f"resourceVersion: Invalid value: {shown}: strconv.ParseUint: parsing {shown}: {why}" if why else ""
    )


def check_list(query: Query, *, watching: bool) -> None:
    """Check how resourceVersion, its match and the streaming list go together (L4, W8, W11)."""
    version, match = first(query, "resourceVersion"), first(query, "resourceVersionMatch")
    streaming = "sendInitialEvents" in query
    errors: list[FieldError] = []
    field = "resourceVersionMatch"
    if watching:
        if first(query, "continue"):
            errors.append(field_errors.forbidden(field, f"{field} is forbidden when continue is provided"))
        if streaming and match != "NotOlderThan":
            why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
            errors.append(field_errors.forbidden(field, why))
            if match:
                errors.append(field_errors.not_supported(field, match, ["NotOlderThan"]))
        elif match and not streaming:
            errors.append(field_errors.forbidden(field, NEVER_MATCH))
            if match != "NotOlderThan":
                errors.append(field_errors.not_supported(field, match, ["NotOlderThan"]))
    elif streaming:
        errors.append(field_errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    elif match:
        errors += _match_errors(version, match, first(query, "continue"))
    if errors:
        raise status.invalid(META, "ListOptions", "", errors)


def _match_errors(version: str, match: str, token: str) -> list[FieldError]:
    field = "resourceVersionMatch"
    errors = []
    if not version:
        errors.append(
            field_errors.forbidden(field, f"{field} is forbidden unless resourceVersion is provided")
        )
    if token:
        errors.append(field_errors.forbidden(field, f"{field} is forbidden when continue is provided"))
    if match not in ("Exact", "NotOlderThan"):
        errors.append(field_errors.not_supported(field, match, ["Exact", "NotOlderThan", ""]))
    if match == "Exact" and version == "0":
        errors.append(field_errors.forbidden(field, f'{field} "exact" is forbidden for resourceVersion "0"'))
    return errors


def _manager_errors(manager: str) -> list[FieldError]:
    if len(manager.encode()) > LONGEST_MANAGER:
        return [field_errors.too_long("fieldManager", LONGEST_MANAGER)]
    for position, character in enumerate(manager):
        if not character.isprintable():
            why = f"invalid character U+{ord(character):04X} (at position {position})"
            return [field_errors.invalid("fieldManager", manager, why)]
    return []
