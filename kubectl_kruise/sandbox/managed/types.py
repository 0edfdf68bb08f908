"""What tracking may ask about the kind of an object."""

from typing import NamedTuple, Protocol

from kubectl_kruise.objects.raw import Raw
from kubectl_kruise.sandbox.managed.fields import Fields
from kubectl_kruise.sandbox.managed.owners import Identity
from kubectl_kruise.sandbox.managed.shape import Shape


class Types(Protocol):
    """One kind in all its versions; `fixed` where its types never change while the server runs."""

    fixed: bool

    def shape(self, api_version: str) -> Shape | None:
        """Give the type of the kind in a version; None for a version that the kind does not have."""

    def convert(self, raw: Raw, api_version: str) -> Raw:
        """Give an object in a version of the kind; `raw` stays untouched."""


class Write(NamedTuple):
    """One write: by whom, in which version, at what time (RFC 3339), and the fields that it can not own."""

    who: Identity
    api_version: str
    now: str
    ignored: Fields
