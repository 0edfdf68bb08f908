"""Reading the body of a patch (sandbox-apiserver.md P3, P4)."""

import json
from typing import Any

from kubectl_kruise.sandbox.go_words import json_problem
from kubectl_kruise.sandbox.patches.errors import unreadable


def parse_patch(body: bytes) -> Any:
    """Parse a JSON patch body. Raises PatchError 400 with the words of Go's decoder."""
    try:
        return json.loads(body)
    except json.JSONDecodeError:
        raise unreadable(f"error decoding patch: {json_problem(body)}") from None
    except UnicodeDecodeError:
        raise unreadable("error decoding patch: invalid UTF-8") from None
