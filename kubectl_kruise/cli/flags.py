"""Take the flags that every command has off the command line, wherever they stand (cli.md row 102).

Runs before any verb is known, so it imports nothing. What belongs to the connection keeps kubectl's spelling.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from kubectl_kruise.errors import UsageError


class Flag(NamedTuple):
    """`kind` is `text`, `many` (repeatable text), `switch` (bare or =true|false) or `level`."""

    name: str
    summary: str
    kind: str = "text"
    short: str = ""
    metavar: str = "TEXT"


CONNECTION: Final = (
    Flag("namespace", "Namespace of the objects; the context's where absent.", short="n", metavar="NAME"),
    Flag("context", "Context of the kubeconfig to use.", metavar="NAME"),
    Flag("kubeconfig", "Kubeconfig file to use instead of $KUBECONFIG.", metavar="FILE"),
    Flag("cluster", "Cluster entry of the kubeconfig to use.", metavar="NAME"),
    Flag("user", "User entry of the kubeconfig to use.", metavar="NAME"),
    Flag("server", "Address of the API server.", short="s", metavar="URL"),
    Flag("token", "Bearer token; seen by others on this machine, prefer a kubeconfig."),
    Flag("username", "User name for basic authentication.", metavar="NAME"),
    Flag("password", "Password for basic authentication; seen by others on this machine."),
    Flag("certificate-authority", "File with the authorities to trust.", metavar="FILE"),
    Flag("client-certificate", "Client certificate file.", metavar="FILE"),
    Flag("client-key", "Client key file.", metavar="FILE"),
    Flag("tls-server-name", "Name to expect in the server's certificate.", metavar="NAME"),
    Flag("insecure-skip-tls-verify", "Trust any server certificate.", "switch"),
    Flag("request-timeout", "Longest wait for one answer, e.g. 30s; 0 waits for ever.", metavar="DURATION"),
    Flag("disable-compression", "Ask for answers without compression.", "switch"),
    Flag("cache-dir", "Folder for cached discovery.", metavar="DIR"),
    Flag("as", "User to act as.", metavar="USER"),
    Flag("as-group", "Group to act in; repeatable.", "many", metavar="GROUP"),
    Flag("as-uid", "UID to act as.", metavar="UID"),
    Flag("as-user-extra", "Extra KEY=VALUE of the user to act as; repeatable.", "many", metavar="KEY=VALUE"),
)
TALK: Final = (
    Flag(
        "v",
        "Verbosity: 1 shows tracebacks, 6 requests, 7 headers, 8 bodies.",
        "level",
        short="v",
        metavar="LEVEL",
    ),
    Flag("quiet", "Print nothing on success.", "switch", short="q"),
    Flag("color", "Colours: auto, always or never.", metavar="WHEN"),
    Flag("no-color", "Same as --color=never.", "switch"),
    Flag("warnings-as-errors", "Fail when the server sends a warning.", "switch"),
)
GLOBAL: Final = (*CONNECTION, *TALK)

_FIELDS: Final = {"as": "as_"}  # a word of the language
FROM_ENVIRONMENT: Final = {"namespace": "KUBECTL_KRUISE_NAMESPACE", "context": "KUBECTL_KRUISE_CONTEXT"}
_NOTHING: Final[Mapping[str, str]] = {}
_TRUE, _FALSE = ("true", "1", "t", "yes"), ("false", "0", "f", "no")


class GlobalFlags(NamedTuple):
    """`connection` holds what was given, by the field names of `cluster.connection.ConnectionFlags`."""

    connection: dict[str, Any]
    verbosity: int = 0
    quiet: bool = False
    color: str = "auto"
    warnings_as_errors: bool = False


def split_flags(args: Sequence[str], environ: Mapping[str, str] = _NOTHING) -> tuple[list[str], GlobalFlags]:
    """Give the words that remain for the verb, and the flags; UsageError on a missing or unreadable value.

    Nothing after `--` is touched. KUBECTL_KRUISE_NAMESPACE and KUBECTL_KRUISE_CONTEXT of `environ` stand for flags that
    are not given: kubectl lets no flag in front of the plugin's name, which aliases would want.
    """
    rest: list[str] = []
    given: dict[str, Any] = {
        name: environ[variable] for name, variable in FROM_ENVIRONMENT.items() if environ.get(variable)
    }
    at = 0
    while at < len(args):
        word = args[at]
        at += 1
        if word == "--":
            rest += [word, *args[at:]]
            break
        flag, inline = _match(word)
        if flag is None:
            rest.append(word)
        elif flag.kind == "switch":
            given[flag.name] = parse_switch(inline if inline is not None else "true", f"--{flag.name}")
        elif flag.kind == "level":
            if inline is None and at < len(args) and args[at].isdigit():
                inline, at = args[at], at + 1
            given[flag.name] = _level(inline if inline is not None else "1")
        else:
            if inline is None:
                if at == len(args):
                    raise UsageError(f"--{flag.name} needs a value")
                inline, at = args[at], at + 1
            given[flag.name] = [*given.get(flag.name, []), inline] if flag.kind == "many" else inline
    return rest, _collect(given)


def parse_switch(text: str, flag: str) -> bool:
    """Read the value of a boolean flag as kubectl does."""
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise UsageError(f"{flag}={text}: say true or false")


def _match(word: str) -> tuple[Flag | None, str | None]:
    """Give the flag a word stands for and its inline value (`--name=x`, `-nx`, `-n=x`), None where it has none."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        found = next((flag for flag in GLOBAL if flag.name == name), None)
        return found, value if equals else None
    if len(word) > 1 and word[0] == "-":
        found = next((flag for flag in GLOBAL if flag.short and flag.short == word[1]), None)
        inline = word[2:].removeprefix("=") if len(word) > 2 else None
        if found and inline is not None and found.kind == "switch":
            return (found, inline) if word[2] == "=" else (None, None)
        if found and inline is not None and found.kind == "level" and not inline.isdigit():
            return None, None
        return found, inline
    return None, None


def _level(text: str) -> int:
    if not text.isdigit():
        raise UsageError(f"-v={text}: the verbosity is a number from 0 to 9")
    return int(text)


def _collect(given: dict[str, Any]) -> GlobalFlags:
    talk = {flag.name: given.pop(flag.name) for flag in TALK if flag.name in given}
    color = "never" if talk.get("no-color") else talk.get("color", "auto")
    if color not in ("auto", "always", "never"):
        raise UsageError(f"--color={color}: say auto, always or never")
    connection = {
        _FIELDS.get(name, name.replace("-", "_")): tuple(value) if isinstance(value, list) else value
        for name, value in given.items()
    }
    return GlobalFlags(
        connection, talk.get("v", 0), talk.get("quiet", False), color, talk.get("warnings-as-errors", False)
    )
