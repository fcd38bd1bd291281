"""`studiograph completion`: what a shell needs to complete commands and options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="Example: studiograph completion bash")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(context: click.Context, *, shell: str) -> int:
    """Print the completion script of SHELL.

    For bash, add to ~/.bashrc: eval "$(studiograph completion bash)"
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} has no completion here.")
    program = context.find_root().command
    print(kind(program, {}, "studiograph", "_STUDIOGRAPH_COMPLETE").source())
    return 0
