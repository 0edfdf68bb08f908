"""Which proxy the environment asks for, by the rules that kubectl follows."""

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit


def proxy_for(server: str, environ: Mapping[str, str]) -> str:
    """Give the proxy of HTTPS_PROXY or HTTP_PROXY for `server`, "" for none; without user and password.

    Loopback addresses and what NO_PROXY names (hosts, domains, addresses, networks, each perhaps with a port) are
    reached directly.
    """
    url = urlsplit(server)
    name = "HTTPS_PROXY" if url.scheme == "https" else "HTTP_PROXY"
    proxy = environ.get(name) or environ.get(name.lower()) or ""
    host = (url.hostname or "").lower()
    port = url.port or (443 if url.scheme == "https" else 80)
    if not proxy or _loopback(host):
        return ""
    excluded = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
    if any(_covers(entry.strip().lower(), host, port) for entry in excluded.split(",") if entry.strip()):
        return ""
    return proxy.rpartition("@")[2]


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _covers(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    try:
        return ip_address(host) in ip_network(entry, strict=False)
    except ValueError:
        pass  # a name on one of the sides
    name, colon, number = entry.rpartition(":")
    if colon and number.isdecimal():
        if int(number) != port:
            return False
        entry = name.strip("[]")
    if entry.startswith(("*.", ".")):
        return host.endswith(entry.lstrip("*"))
    return host == entry or host.endswith(f".{entry}")
