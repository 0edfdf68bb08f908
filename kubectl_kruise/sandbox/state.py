"""The state folder of the sandbox: how to reach it, and which processes it is (sandbox-apiserver.md S5, S6)."""

import base64
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from kubectl_kruise.facts.names import SANDBOX_CONTEXT
from kubectl_kruise.facts.releases import Release

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600


@dataclass(frozen=True, slots=True)
class Settings:
    """`kruise` is none, crds or controllers; delays are in seconds, port 0 is that of the last start, else any free one.

    `gates` are the feature gates that were chosen, by the manager's names; `release` is that of Kruise.
    """

    port: int = 0
    plain_http: bool = False
    kruise: str = "controllers"
    nodes: int = 3
    start_delay: float = 0.05
    restart_delay: float = 0.05
    stop_delay: float = 0.05
    gates: dict[str, bool] = field(default_factory=dict)
    release: str = Release.V1_9_0.value


@dataclass(frozen=True, slots=True)
class Process:
    """`born` is the kernel's start time of the process, so that another one with its number is not taken for it."""

    pid: int
    born: str


@dataclass(frozen=True, slots=True)
class Record:
    """What was started: the address, how, and the processes by their part."""

    server: str
    settings: Settings
    processes: dict[str, Process]


class State:
    """The files of one sandbox. Everything in it is readable for its owner only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kubeconfig = folder / "kubeconfig"
        self.authority = folder / "ca.crt"
        self.certificate = folder / "server.crt"
        self.key = folder / "server.key"
        self.token = folder / "token"
        self._port = folder / "port"
        self._record = folder / "sandbox.json"

    def create(self) -> None:
        self.folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        self.folder.chmod(FOLDER_MODE)

    def log(self, part: str) -> Path:
        return self.folder / f"{part}.log"

    def write(self, path: Path, content: bytes) -> None:
        """Write a file that nobody else may read, not even for a moment."""
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, FILE_MODE)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        unfinished.replace(path)

    def read_record(self) -> Record | None:
        """Read what was started last; None where nothing was, or the record cannot be read."""
        try:
            found = json.loads(self._record.read_text("utf-8"))
            processes = {part: Process(**process) for part, process in found["processes"].items()}
            return Record(found["server"], Settings(**found["settings"]), processes)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def write_record(self, record: Record) -> None:
        self.write(self._record, json.dumps(asdict(record), indent=1).encode())

    def forget(self) -> None:
        """Remove what is of no use once the processes are gone.

        The logs stay, and what copies of the kubeconfig rely on: certificates, token and port.
        """
        for path in (self._record, self.kubeconfig):
            path.unlink(missing_ok=True)

    def read(self, path: Path) -> bytes:
        """Read a file that an earlier start may have left; nothing where it did not."""
        try:
            return path.read_bytes()
        except OSError:
            return b""

    def read_port(self) -> int:
        """Give the port of the last start; 0, any free one, before the first."""
        text = self.read(self._port)
        return int(text) if text.isdigit() else 0

    def write_port(self, port: int) -> None:
        self.write(self._port, str(port).encode())

    def write_kubeconfig(self, server: str, token: str, authority: bytes) -> None:
        self.write(self.kubeconfig, kubeconfig_text(server, token, authority).encode())


def state_folder(environ: Mapping[str, str]) -> Path:
    """Give the folder for state as the XDG rules have it."""
    root = environ.get("XDG_STATE_HOME") or str(
        Path(environ.get("HOME") or "~").expanduser() / ".local" / "state"
    )
    return Path(root) / "kubectl-kruise" / "sandbox"


def kubeconfig_text(server: str, token: str, authority: bytes) -> str:
    """Give a kubeconfig as JSON, which is YAML too; a plain server has neither token nor authority."""
    cluster: dict[str, str] = {"server": server}
    if authority:
        cluster["certificate-authority-data"] = base64.b64encode(authority).decode()
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": SANDBOX_CONTEXT,
        "clusters": [{"name": SANDBOX_CONTEXT, "cluster": cluster}],
        "contexts": [
            {
                "name": SANDBOX_CONTEXT,
                "context": {"cluster": SANDBOX_CONTEXT, "user": SANDBOX_CONTEXT, "namespace": "default"},
            }
        ],
        "users": [{"name": SANDBOX_CONTEXT, "user": {"token": token} if token else {}}],
    }
    return json.dumps(content, indent=2) + "\n"
