"""The process behind the port: `python -m kubectl_kruise.sandbox.serving.server STATE SETTINGS` (sandbox-apiserver.md S4, S5, S9)."""

import asyncio
import gc
import json
import logging
import secrets
import socket
import ssl
import sys
from pathlib import Path
from types import FrameType
from typing import Final

import uvicorn
import uvloop

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.clock import SystemClock
from kubectl_kruise.controllers.loop import Controller, work_one
from kubectl_kruise.engine.gates import resolve_gates
from kubectl_kruise.facts.releases import Release
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.local import LocalTransport
from kubectl_kruise.sandbox.serving.app import App
from kubectl_kruise.sandbox.serving.certificates import Certificates, make_certificates, usable
from kubectl_kruise.sandbox.serving.connections import Protocol, open_many
from kubectl_kruise.sandbox.state import Settings, State
from kubectl_kruise.sandbox.store import Event

ADDRESS: Final = "127.0.0.1"
SHUTDOWN_SECONDS: Final = 1
LONGEST_NAP: Final = 3600.0


class Upkeep:
    """Runs the controllers that live with the server, on its loop, a key at a time between requests."""

    def __init__(self, server: Server, controllers: list[Controller]) -> None:
        self._server, self._controllers = server, controllers
        self._timer: asyncio.TimerHandle | None = None
        server.store.listen(self._changed)

    def start(self) -> None:
        self._plan(0.0)

    def _changed(self, _: Event) -> None:
        if self._timer is not None:
            self._plan(0.0)

    def _plan(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._work)

    def _work(self) -> None:
        moved = sum(work_one(controller, block=False) for controller in self._controllers)
        times = [due for controller in self._controllers if (due := controller.queue.next_due()) is not None]
        now = self._server.clock.monotonic()
        nap = min(times, default=LONGEST_NAP + now) - now
        self._plan(0.0 if moved else min(max(nap, 0.0), LONGEST_NAP))


class _Uvicorn(uvicorn.Server):
    """Ends open watches before it waits for connections to finish."""

    def __init__(self, config: uvicorn.Config, app: App) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.stop()
        super().handle_exit(sig, frame)


def listen(port: int) -> socket.socket:
    """Take a port on the loopback interface, and on no other (S4); 0 takes any free one."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((ADDRESS, port))
    sock.listen(512)
    sock.setblocking(False)
    return sock


def listen_again(state: State) -> socket.socket:
    """Take the port of the last start, which copies of the kubeconfig name; any free one where it is taken by now."""
    try:
        return listen(state.read_port())
    except (OSError, OverflowError):
        return listen(0)


def secure(state: State) -> tuple[str, bytes]:
    """Give the token and the authority's certificate: those of the first start, so that copied kubeconfigs stay valid."""
    kept = Certificates(*map(state.read, (state.authority, state.certificate, state.key)))
    token = state.read(state.token)
    if token and token.isascii() and usable(kept):
        return token.decode(), kept.authority
    made = make_certificates()
    token = secrets.token_urlsafe(32).encode()
    for path, content in (
        (state.authority, made.authority),
        (state.certificate, made.server),
        (state.key, made.key),
        (state.token, token),
    ):
        state.write(path, content)
    return token.decode(), made.authority


async def serve(server: Server, sock: socket.socket, state: State, *, plain: bool) -> None:
    """Answer on a socket until a signal comes."""
    token, authority = ("", b"") if plain else secure(state)
    port = sock.getsockname()[1]
    state.write_port(port)
    address = f"{ADDRESS}:{port}"
    server.handler.address = address
    app = App(server.handler, token=token)
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        timeout_keep_alive=120,
        ssl_certfile=None if plain else str(state.certificate),
        ssl_keyfile=None if plain else str(state.key),
        ssl_version=ssl.PROTOCOL_TLS_SERVER,
    )
    client = Client(
        LocalTransport(server.handler),
        user_agent="kube-controller-manager",
        field_manager="kube-controller-manager",
    )
    Upkeep(server, server.upkeep(client)).start()
    # The client of a later process finds the address here; whoever waits for us waits for this file.
    state.write_kubeconfig(f"{'http' if plain else 'https'}://{address}", token, authority)
    gc.collect()
    gc.freeze()
    await _Uvicorn(config, app).serve(sockets=[sock])


def main(arguments: list[str]) -> int:
    """Serve until a signal comes; the arguments are the state folder and the settings as JSON."""
    state, settings = State(Path(arguments[0])), Settings(**json.loads(arguments[1]))
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s", level=logging.INFO)
    server = Server(
        SystemClock(),
        kruise=settings.kruise != "none",
        webhooks=settings.kruise == "controllers",
        gates=resolve_gates(settings.gates),
        release=Release(settings.release),
    )
    try:
        sock = listen(settings.port) if settings.port else listen_again(state)
    except OSError as error:
        logging.getLogger("kubectl_kruise.sandbox").error("port %d: %s", settings.port, error)  # noqa: TRY400
        return 1
    open_many()
    uvloop.run(serve(server, sock, state, plain=settings.plain_http))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
