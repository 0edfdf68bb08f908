"""Rewrite manifests for the current version of their kind."""

from typing import Annotated

import typer

from kubectl_kruise.cli.converting.files import convert_files
from kubectl_kruise.cli.session import Session
from kubectl_kruise.errors import UsageError

FORMATS = ("", "yaml", "json")


def convert(
    ctx: typer.Context,
    filename: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--filename",
            metavar="FILE",
            help="Manifests or folders; - reads stdin.",
            show_default=False,
        ),
    ] = None,
    recursive: Annotated[
        bool, typer.Option("-R", "--recursive", help="Read folders given to -f to the bottom.")
    ] = False,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FORMAT", help="yaml or json; else as each file is.", show_default=False
        ),
    ] = "",
    strict: Annotated[bool, typer.Option("--strict", help="Fail when a field was dropped.")] = False,
) -> None:
    """Rewrite manifests of Advanced StatefulSets from v1alpha1 to v1beta1.

    No cluster is asked. Comments, order and all other documents stay as they are; what was changed is told on stderr.
    Fields that v1alpha1 does not have are dropped: no server has ever taken them, and as v1beta1 they would come into
    force.

    Native StatefulSets become Advanced ones by "migrate".

    Examples:
      kubectl kruise convert -f web.yaml > web-v1beta1.yaml
      # A folder, with those below it
      kubectl kruise convert -f manifests/ -R
      # Between other commands
      helm template shop | kubectl kruise convert -f - | kubectl apply -f -
    """
    session: Session = ctx.obj
    if output not in FORMATS:
        raise UsageError(f'unknown output format "{output}"', hint="one of yaml, json")
    if not filename:
        raise UsageError("no manifest given", hint="-f FILE, a folder, or - for stdin")
    convert_files(session, filename, output, recursive=recursive, strict=strict)
