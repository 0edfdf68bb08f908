"""Which proxy leads to a server: the cluster entry's, else the environment's, by the rules that kubectl follows."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from kubectl_kruise.errors import UsageError

PORTS: Final = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
ENTRY_SCHEMES: Final = ("http", "https", "socks5")


class Proxy(NamedTuple):
    """`login` is the user name and password for it, None where it wants none."""

    scheme: str
    host: str
    port: int
    login: tuple[str, str] | None = None

    @property
    def address(self) -> str:
        """Its URL as it may be shown, without user name and password."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def tunnels(self) -> bool:
        """Whether it carries bytes of any kind, as against requests only."""
        return self.scheme.startswith("socks5")

    @property
    def authorization(self) -> Mapping[str, str]:
        """Give the header that an HTTP proxy is to see."""
        if self.login is None:
            return {}
        from base64 import b64encode

        pair = ":".join(self.login).encode()
        return {"Proxy-Authorization": f"Basic {b64encode(pair).decode()}"}


def pick_proxy(server: str, entry: str, environ: Mapping[str, str]) -> Proxy | None:
    """Give the proxy to `server` (a URL): that of `entry`, the cluster's proxy-url, wins over the environment.

    Raises UsageError, which shows no password, for a proxy that is no URL or of a kind that is not known.
    """
    if entry:
        return _parse(entry, "the proxy-url of the cluster", ENTRY_SCHEMES)
    return _from_environment(server, environ)


def _from_environment(server: str, environ: Mapping[str, str]) -> Proxy | None:
    """Read HTTPS_PROXY or HTTP_PROXY, whichever the scheme of `server` asks for, and NO_PROXY.

    As in Go, on which kubectl stands, there is no ALL_PROXY, and loopback addresses are reached directly.
    """
    from kubectl_kruise.cluster.http.noproxy import goes_direct

    url = urlsplit(server)
    name = "HTTPS_PROXY" if url.scheme == "https" else "HTTP_PROXY"
    text = environ.get(name) or environ.get(name.lower()) or ""
    if not text:
        return None
    if name == "HTTP_PROXY" and environ.get("REQUEST_METHOD"):
        raise UsageError(
            "HTTP_PROXY is not used in a CGI program, where whoever sends the request sets it",
            hint="unset REQUEST_METHOD where this is none, or use proxy-url",
        )
    excluded = environ.get("NO_PROXY") or environ.get("no_proxy") or ""
    if goes_direct(url.hostname or "", url.port or PORTS[url.scheme], excluded):
        return None
    # Without a scheme it is an address, and the proxy an HTTP one.
    complete = text if "://" in text else f"http://{text}"
    return _parse(complete, name, tuple(PORTS))


def _parse(text: str, source: str, schemes: tuple[str, ...]) -> Proxy:
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError:
        raise UsageError(f"{source} is not a URL") from None
    if url.scheme not in schemes:
        raise UsageError(
            f'{source} has the scheme "{url.scheme}", which is not supported',
            hint=f"use {', '.join(schemes)}",
        )
    if not url.hostname:
        raise UsageError(f"{source} names no host")
    return Proxy(url.scheme, url.hostname, port or PORTS[url.scheme], _login(url))


def _login(url: SplitResult) -> tuple[str, str] | None:
    if url.username is None:
        return None
    return unquote(url.username), unquote(url.password or "")
