"""NO_PROXY: hosts, domains, addresses and networks that are reached without the proxy of the environment."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address


def goes_direct(host: str, port: int, excluded: str) -> bool:
    """Say whether `host` is on this machine, or named by `excluded`, the value of NO_PROXY.

    Its entries, between commas: `*` for everything; `10.0.0.0/8`; `10.1.2.3` and `example.com`, which includes its
    subdomains, each perhaps with `:PORT`; `.example.com` and `*.example.com` for the subdomains alone. The rules are those
    of Go's `net/http`.
    """
    address = _address(host)
    if host == "localhost" or (address is not None and address.is_loopback):
        return True
    name = host.lower() if host.isascii() else _idna(host.lower())
    entries = [entry for entry in (part.strip().lower() for part in excluded.split(",")) if entry]
    return any(_covers(entry, name, address, port) for entry in entries)


def _covers(entry: str, host: str, address: Address | None, port: int) -> bool:
    if entry == "*":
        return True
    if (inside := _in_network(entry, address)) is not None:
        return inside
    name, number = _split(entry)
    if not name:
        return False
    if (number or str(port)) != str(port):
        return False
    if (excluded := _address(name)) is not None:
        return excluded == address
    if address is not None:
        return False
    name = name.removeprefix("*") if name.startswith("*.") else name
    name = name if name.isascii() else _idna(name)
    return host.endswith(name) if name.startswith(".") else host == name or host.endswith(f".{name}")


def _in_network(entry: str, address: Address | None) -> bool | None:
    """Say whether `entry` is a network that holds `address`; None where it is no network."""
    _, slash, bits = entry.partition("/")
    if not slash or not bits.isdecimal():
        return None
    try:
        return address is not None and address in ip_network(entry, strict=False)
    except ValueError:
        return None


def _split(entry: str) -> tuple[str, str]:
    """Split `name:port`; a bare IPv6 address has no port, and one with a port stands in brackets."""
    name, colon, port = entry.rpartition(":")
    if not colon or (":" in name and not (name.startswith("[") and name.endswith("]"))):
        return entry, ""
    return name.removeprefix("[").removesuffix("]"), port


def _address(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    # An IPv4 address in the clothes of IPv6 is the same host.
    return getattr(address, "ipv4_mapped", None) or address


def _idna(name: str) -> str:
    try:
        return name.encode("idna").decode()
    except UnicodeError:
        return name
