"""`python -m demo`: plays the tour on a sandbox of its own; `--write-tour` also writes docs/tour.md."""

import sys
import time

from demo.stage import ROOT, UnexpectedExitError, play, stage
from demo.tour import tour


def main(arguments: list[str]) -> int:
    started = time.monotonic()
    with stage() as environment:
        try:
            played = play(environment, lambda text: print(text, flush=True))
        except UnexpectedExitError as error:
            print(f"the demo stops here: {error}", file=sys.stderr)
            return 1
    print(f"\nThat was the tour, in {time.monotonic() - started:.0f} seconds. It stands in docs/tour.md.")
    if "--write-tour" in arguments:
        (ROOT / "docs" / "tour.md").write_text(tour([steps for _, steps in played]), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
