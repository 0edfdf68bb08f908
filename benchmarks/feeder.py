"""`python -m benchmarks.feeder COUNT`: a server that puts COUNT objects into its store when told to.

Prints its port, then waits for a line on stdin. No client writes, so that what is measured is the way from the store
to those who watch.
"""

import asyncio
import sys
from typing import Final

import uvicorn

from kubectl_kruise.cluster.clock import SystemClock
from kubectl_kruise.sandbox.assembly import Server
from kubectl_kruise.sandbox.serving.app import App
from kubectl_kruise.sandbox.serving.server import listen

AT_ONCE: Final = 100
"""Changes between two moments at which the server looks after its connections."""


async def main(count: int) -> None:
    server, sock = Server(SystemClock(), kruise=False), listen(0)
    config = uvicorn.Config(
        App(server.handler), loop="uvloop", http="httptools", lifespan="off", log_config=None
    )
    serving = asyncio.ensure_future(uvicorn.Server(config).serve(sockets=[sock]))
    print(sock.getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    for number in range(count):
        data = {"metadata": {"name": f"c{number}", "namespace": "default"}, "data": {"number": str(number)}}
        server.store.put("configmaps", {"apiVersion": "v1", "kind": "ConfigMap", **data})
        if number % AT_ONCE == 0:
            await asyncio.sleep(0)
    await serving


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
