"""`python -m demo`: plays the tour on a sandbox of its own.

python -m demo --write-tour                              writes docs/tour.md as well
python -m demo --chapter migrate                         plays only the chapters of one topic
python -m demo --chapter migrate --kubeconfig FILE       on another cluster, in a namespace that is removed afterwards
"""

import argparse
import signal
import sys
import time

from demo.chapters import CHAPTERS, Topic
from demo.stage import ROOT, UnexpectedExitError, guest, play, stage
from demo.tour import tour


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m demo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    topics = [str(topic) for topic in Topic if topic is not Topic.SANDBOX]
    parser.add_argument("--chapter", choices=topics, help="only what belongs to this")
    parser.add_argument("--kubeconfig", default="", help="this cluster instead of a sandbox")
    parser.add_argument("--write-tour", action="store_true", help="write docs/tour.md")
    chosen = parser.parse_args(arguments)
    if chosen.write_tour and (chosen.chapter or chosen.kubeconfig):
        parser.error("--write-tour takes the whole tour, on a sandbox")
    wanted = {chosen.chapter, Topic.SANDBOX} if chosen.chapter else set(Topic)
    if chosen.kubeconfig:
        wanted.discard(Topic.SANDBOX)
    chapters = [chapter for chapter in CHAPTERS if chapter.topic in wanted]
    # As on Ctrl-C, what was started is ended on the way out.
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    started = time.monotonic()
    with guest(chosen.kubeconfig) if chosen.kubeconfig else stage() as environment:
        try:
            played = play(environment, lambda text: print(text, flush=True), chapters)
        except UnexpectedExitError as error:
            print(f"the demo stops here: {error}", file=sys.stderr)
            return 1
    print(f"\nThat took {time.monotonic() - started:.0f} seconds. The whole tour stands in docs/tour.md.")
    if chosen.write_tour:
        (ROOT / "docs" / "tour.md").write_text(tour([steps for _, steps in played]), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
