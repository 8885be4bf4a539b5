"""The entry point: finds the command, and turns every error into one message and an exit code.

Exit codes are those of ``diff``: 0 fine or the same, 1 differences or a failed check, 2 trouble.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import IO, NoReturn

import click

from untemplate.cli.commands import Commands
from untemplate.cli.failures import TROUBLE, as_ours, show_error, show_fault, show_usage_error
from untemplate.errors import UntemplateError

INTERRUPTED = 130


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`untemplate COMMAND --help` tells more. Start with `untemplate inspect SOURCE`.",
)
@click.version_option(package_name="untemplate", message="%(prog)s %(version)s")
def untemplate() -> None:
    """Compile a model's chat template into a parser spec and a GBNF grammar.

    A SOURCE is a .jinja file, a tokenizer_config.json, a model folder, a GGUF file, hf:OWNER/NAME@REVISION for a model on the
    Hugging Face hub, or `-` for standard input. A SPEC is what `untemplate compile` writes. Results go to standard output,
    everything else to standard error.
    """


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Return the exit code of a command line; no exception leaves, no traceback is shown."""
    _write_utf8(sys.stdout)
    try:
        result = untemplate.main(list(arguments) or ["--help"], prog_name="untemplate", standalone_mode=False)
        sys.stdout.flush()
    except UntemplateError as error:
        show_error(error)
        return TROUBLE
    except click.ClickException as error:
        show_usage_error(error)
        return TROUBLE
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        _forget_stdout()
        return 0
    except OSError as error:
        ours = as_ours(error)
        show_fault(error) if ours is None else show_error(ours)
        return TROUBLE
    except Exception as error:  # noqa: BLE001 - the last line of defence
        show_fault(error)
        return TROUBLE
    return result if isinstance(result, int) else 0


def _write_utf8(stream: IO[str]) -> None:
    """Make files from standard output the same everywhere: UTF-8 and LF, whatever the locale says."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None and not stream.isatty():
        reconfigure(encoding="utf-8", newline="\n")


def _forget_stdout() -> None:
    """Keep the interpreter from complaining at exit about a reader that has gone (``untemplate … | head``)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
