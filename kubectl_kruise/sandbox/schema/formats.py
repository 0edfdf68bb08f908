"""The string formats that schemas of custom kinds are checked for; unknown ones pass (sandbox-apiserver.md CR7)."""

import base64
import binascii
import ipaddress
import re
import uuid
from collections.abc import Callable
from datetime import date, datetime
from typing import Final
from urllib.parse import urlsplit

_HOSTNAME: Final = re.compile(
    r"(?=.{1,253}\Z)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*",
    re.ASCII,
)
_EMAIL: Final = re.compile(r"[^@\s<>]+@[^@\s<>]+", re.ASCII)
_DURATION: Final = re.compile(
    r"[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))*"
    r"|\d+\s*(ns|us|µs|ms|s|sec|seconds?|min|minutes?|h|hours?|d|days?|w|weeks?)", re.ASCII
)  # fmt: skip
_DATE_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[-+]\d\d:\d\d)", re.ASCII)


def _reads(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            parse(text)
        except (ValueError, binascii.Error):
            return False
        return True

    return check


def _date_time(text: str) -> bool:
    return bool(_DATE_TIME.fullmatch(text)) and _reads(datetime.fromisoformat)(text.upper())


def _uri(text: str) -> bool:
    return _reads(urlsplit)(text) and bool(urlsplit(text).scheme or text.startswith("/"))


_CHECKS: Final[dict[str, Callable[[str], bool]]] = {
    "date-time": _date_time,
    "datetime": _date_time,
    "date": lambda text: len(text) == len("2006-01-02") and _reads(date.fromisoformat)(text),
    "byte": _reads(lambda text: base64.b64decode(text, validate=True)),
    "email": lambda text: bool(_EMAIL.fullmatch(text)),
    "uri": _uri,
    "hostname": lambda text: bool(_HOSTNAME.fullmatch(text)),
    "ipv4": _reads(ipaddress.IPv4Address),
    "ipv6": _reads(ipaddress.IPv6Address),
    "cidr": lambda text: "/" in text and _reads(lambda net: ipaddress.ip_network(net, strict=False))(text),
    "uuid": _reads(uuid.UUID),
    "duration": lambda text: text == "0" or bool(_DURATION.fullmatch(text)),
}


def fits(text: str, form: str) -> bool:
    """Tell whether a string has the named format."""
    check = _CHECKS.get(form)
    return check is None or check(text)
