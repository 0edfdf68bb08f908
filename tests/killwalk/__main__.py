"""`python -m tests.killwalk WAY…`: the whole kill walk on a real cluster, through the kubeconfig in use.

The cluster needs CloneSets and somebody who works on them: Kruise, or `kubectl kruise controller run`.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from kubectl_kruise.cluster.client import Client
from kubectl_kruise.cluster.connection import ConnectionFlags, connect
from kubectl_kruise.facts.kinds import DEPLOYMENT
from tests.killwalk.proxy import Proxy
from tests.killwalk.walk import MISSED, WAYS, Killer, kill_at, points

OLD_ENOUGH = 31.0
"""Seconds until a ReplicaSet may be deleted: waited for once, by all together."""


def main() -> int:
    """Walk the ways asked for; 0 when no pod was lost at any point."""
    parser = argparse.ArgumentParser(prog="python -m tests.killwalk", description=__doc__)
    parser.add_argument("ways", nargs="*", choices=[*WAYS, []], default=[*WAYS])
    parser.add_argument("--namespace", default="killwalk")
    parser.add_argument("--pods", type=int, default=2)
    parser.add_argument("--every", type=int, default=5, help="besides every write, every so many requests")
    asked = parser.parse_args()
    client = connect(ConnectionFlags(namespace=asked.namespace))
    client.create("/api/v1/namespaces", {"metadata": {"name": asked.namespace}})
    failed = 0
    try:
        for way in asked.ways:
            failed += walk(client, way, asked)
    finally:
        client.delete(f"/api/v1/namespaces/{asked.namespace}")
    return 1 if failed else 0


def walk(client: Client, name: str, asked: argparse.Namespace) -> int:
    """Walk one way; gives the number of points at which something was wrong."""
    way = WAYS[name]
    proxy = Proxy(connect(ConnectionFlags(namespace=asked.namespace))._transport)
    with tempfile.TemporaryDirectory() as folder:
        killer = Killer(proxy, client, asked.namespace, Path(folder))
        killer.create(way.kind, ["probe"], asked.pods)
        if way.kind is DEPLOYMENT:
            time.sleep(OLD_ENOUGH)
        for words in (*way.begin, way.command):
            code, said = killer.run([word.format(name="probe") for word in words])
            if code:
                raise RuntimeError(said)
        writes = sum(line.startswith("W ") for line in proxy.log)
        chosen = list(points(writes, len(proxy.log), every=asked.every))
        killer.remove("probe")
        names = [f"web-{at}" for at in range(len(chosen))]
        killer.create(way.kind, names, asked.pods)
        if way.kind is DEPLOYMENT:
            time.sleep(OLD_ENOUGH)
        wrong = 0
        for workload, point in zip(names, chosen, strict=True):
            difference = kill_at(killer, way, workload, point)
            missed = difference.endswith(MISSED)
            wrong += bool(difference) and not missed
            verdict = f"ok {point}" if not difference else difference if missed else f"FAILED {difference}"
            print(f"{name}: {verdict}", flush=True)
            killer.remove(workload)
        print(f"{name}: {len(chosen) - wrong} of {len(chosen)} points without loss", flush=True)
    proxy.close()
    return wrong


if __name__ == "__main__":
    sys.exit(main())
