"""``eve-replay completion``: what TAB offers in bash, zsh and fish."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete, split_arg_string

from eve_replay.cli.shared.common import Shell, command, echo, note
from eve_replay.cli.shared.files import written_aside
from eve_replay.errors import WrongUse
from eve_replay.views.kit.text import line

__all__ = ["PROGRAM", "VARIABLE", "Bash", "cli"]

PROGRAM, VARIABLE = "eve-replay", "_EVE_REPLAY_COMPLETE"


class Bash(BashComplete):
    """Bash, which breaks words at ``:`` and ``=`` (``sample:crash-in-tool``, ``--session=ID``).

    The whole line is handed over, and what stands before the last such sign is cut from the answers.
    """

    source_template = """\
%(complete_func)s() {
    local IFS=$'\\n' type value current kept=""
    current="${COMP_LINE:0:COMP_POINT}"
    current="${current##* }"
    if [[ $COMP_WORDBREAKS == *:* && $current == *:* ]]; then kept="${current%%"${current##*:}"}"; fi
    if [[ $current == *=* && ${#kept} -eq 0 ]]; then kept="${current%%"${current##*=}"}"; fi
    COMPREPLY=()
    while IFS=',' read -r type value; do
        if [[ $type == 'file' ]]; then
            compopt -o default -o filenames
        elif [[ $type == 'plain' ]]; then
            value="${value#"$kept"}"
            [[ $value == */ || $value == *= ]] && compopt -o nospace
            COMPREPLY+=("$value")
        fi
    done < <(COMP_WORDS="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete "$1")
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words of the line before the cursor, and the one it stands in."""
        typed = os.environ["COMP_WORDS"]
        words = split_arg_string(typed)[1:]
        if not words or typed[-1:].isspace():
            return words, ""
        return words[:-1], words[-1]


click.shell_completion.add_completion_class(Bash)

_SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": ZshComplete, "fish": FishComplete}


@command("completion")
@click.argument("shell_name", metavar="SHELL", type=click.Choice(sorted(_SHELLS)))
@click.option("--install", is_flag=True, help="Write it where the shell looks, and say what else is needed.")
def cli(shell: Shell, shell_name: str, install: bool) -> None:
    """Complete commands, options, samples, ids, turns, tools and strategies with TAB in bash, zsh or fish.

    Without --install the script is printed: eval "$(eve-replay completion bash)" tries it in this shell.
    """
    if shell.json:
        raise WrongUse("A script is no JSON.", hint="Leave --json out.")
    context = click.get_current_context().find_root()
    script = _SHELLS[shell_name](context.command, {}, PROGRAM, VARIABLE).source()
    if not install:
        echo(shell, [line(each) for each in script.splitlines()])
        return
    target, then = _place(shell_name)
    target.parent.mkdir(parents=True, exist_ok=True)
    with written_aside(target, force=True) as file:
        file.write(script.encode())
    note(shell, f"Written to {target}. {then}")


def _place(shell_name: str) -> tuple[Path, str]:
    """Return where the shell finds it by itself, and what is left to do."""
    home = Path.home()
    if shell_name == "bash":
        data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        folder = data / "bash-completion" / "completions"
        return folder / PROGRAM, "New shells have it, if the package bash-completion is installed."
    if shell_name == "fish":
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions"
        return folder / f"{PROGRAM}.fish", "New shells have it."
    line_ = "fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit"
    return home / ".zfunc" / f"_{PROGRAM}", f"Put this into ~/.zshrc unless it is there: {line_}"
