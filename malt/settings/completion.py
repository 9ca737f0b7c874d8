"""Scripts that let a shell complete command lines of malt and maltopt, made from the catalogue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from malt.settings.catalogue import Catalogue, catalogue
from malt.settings.commandline import options_of
from malt.settings.option import Option

MALTPARSER = "-"  # stands for the command where MaltParser's own command line is used

BASH = """\
# Completion of malt and maltopt in bash. To have it always, add to ~/.bashrc:
#   eval "$(malt completion bash)"
_malt_commands() {{
  case $1 in
{commands}
  esac
}}
_malt_options() {{
  case "$1 $2" in
{options}
  esac
}}
_malt_values() {{  # fails for an option without a value; prints nothing where files are meant; @: files or one of these
  case "$1 $2 $3" in
{values}
    *) return 1 ;;
  esac
}}
_malt() {{
  local program=${{COMP_WORDS[0]##*/}} command=${{COMP_WORDS[1]}} place=$((COMP_CWORD - 1)) word=$2 values
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 && $word != -* ]]; then
    COMPREPLY=($(compgen -W "$(_malt_commands "$program")" -- "$word"))
    return
  fi
  [[ $command == -* ]] && command=-
  if [[ ${{COMP_WORDS[COMP_CWORD]}} == "=" ]]; then  # bash takes --name=value for three words
    word=
  elif [[ ${{COMP_WORDS[place]}} == "=" ]]; then
    place=$((place - 1))
  fi
  if [[ $place -gt 0 ]] && values=$(_malt_values "$program" "$command" "${{COMP_WORDS[place]}}"); then
    [[ -z $values ]] || COMPREPLY=($(compgen -W "${{values#@ }}" -- "$word"))
    if [[ $values == @* ]]; then
      local IFS=$'\\n'
      compopt -o filenames 2> /dev/null
      COMPREPLY+=($(compgen -f -- "$word"))
    fi
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(_malt_options "$program" "$command")" -- "$word"))
  elif [[ $command == help ]]; then
    COMPREPLY=($(compgen -W "$(_malt_commands "$program")" -- "$word"))
  fi
}}
complete -o default -F _malt malt maltopt
"""

ZSH = """\
# Completion of malt and maltopt in zsh. To have it always, add to ~/.zshrc, after compinit:
#   eval "$(malt completion zsh)"
_malt() {{
  local program=${{words[1]:t}} command=${{words[2]}} before=${{words[CURRENT-1]}}
  local -a commands options values
  case $program in
{commands}
  esac
  if (( CURRENT == 2 )) && [[ $PREFIX != -* ]]; then
    _describe command commands
    return
  fi
  [[ $command == -* ]] && command=-
  case "$program $command $before" in
{values}
  esac
  if [[ $PREFIX == -* ]]; then
    case "$program $command" in
{options}
    esac
    _describe -o option options
  elif [[ $command == help ]]; then
    _describe command commands
  else
    _files
  fi
}}
compdef _malt malt maltopt
"""

FISH = """\
# Completion of malt and maltopt in fish. To have it always:
#   malt completion fish > ~/.config/fish/completions/malt.fish; ln -s malt.fish ~/.config/fish/completions/maltopt.fish
"""


def bash(options: Catalogue) -> str:
    """For bash."""
    commands, flags, values = [], [], []
    for program in options.programs.values():
        commands.append(f"    {program.name}) echo {_quoted(' '.join(program.commands))} ;;")
    for program_name, command, taken in _lines(options):
        words = " ".join(word for option in taken for word in _spellings(option, command))
        flags.append(f"    {_quoted(f'{program_name} {command}')}) echo {_quoted(words)} ;;")
        for option in taken:
            if option.type != "unary":
                names = _choices(option)
                choices = _quoted(" ".join(["@"] * (bool(names) and _is_open(option)) + [*names]))
                values.append(f"    {_cases(program_name, command, option)}) echo {choices} ;;")
    return BASH.format(commands="\n".join(commands), options="\n".join(flags), values="\n".join(values))


def zsh(options: Catalogue) -> str:
    """For zsh, which shows what each thing is."""
    commands, flags, values = [], [], []
    for program in options.programs.values():
        said = _described((name, command.summary) for name, command in program.commands.items())
        commands.append(f"    {program.name}) commands=({said}) ;;")
    for program_name, command, taken in _lines(options):
        said = _described((word, option.summary) for option in taken for word in _spellings(option, command))
        flags.append(f"      {_quoted(f'{program_name} {command}')}) options=({said}) ;;")
        for option in taken:
            if option.type != "unary":
                choices = _choices(option)
                given = [f"values=({_described(choices.items())})", "_describe value values"] if choices else []
                given += ["_files"] if _is_open(option) else []
                values.append(f"    {_cases(program_name, command, option)}) {'; '.join(given)}; return ;;")
    return ZSH.format(commands="\n".join(commands), options="\n".join(flags), values="\n".join(values))


def fish(options: Catalogue) -> str:
    """For fish, which shows what each thing is."""
    lines = []
    for program in options.programs.values():
        for name, content in program.commands.items():
            for condition in ("__fish_use_subcommand", "__fish_seen_subcommand_from help"):
                shown = f"-f -a {name} -d {_quoted(content.summary)}"
                lines.append(f"complete -c {program.name} -n {_quoted(condition)} {shown}")
    for program_name, command, taken in _lines(options):
        condition = "__fish_use_subcommand" if command == MALTPARSER else f"__fish_seen_subcommand_from {command}"
        for option in taken:
            words = [f"complete -c {program_name} -n {_quoted(condition)}"]
            for word in _spellings(option, command):
                kind = "l" if word.startswith("--") else "o" if len(word) > 2 else "s"
                words.append(f"-{kind} {word.lstrip('-')}")
            if choices := _choices(option):
                words.append(f"{'-r -F' if _is_open(option) else '-x'} -a {_quoted(' '.join(choices))}")
            elif option.type != "unary":
                words.append("-r -F")
            lines.append(" ".join([*words, f"-d {_quoted(option.summary)}"]))
    return FISH + "\n".join(lines) + "\n"


SHELLS: dict[str, Callable[[Catalogue], str]] = {"bash": bash, "zsh": zsh, "fish": fish}


def _lines(options: Catalogue) -> Iterator[tuple[str, str, Iterable[Option]]]:
    """Each command, and MaltParser's own command line, with what it takes."""
    for program in options.programs.values():
        for name, command in program.commands.items():
            yield program.name, name, options_of(command, options)
    yield "malt", MALTPARSER, (*options.maltparser, *options.common)


def _spellings(option: Option, command: str) -> list[str]:
    """How an option is written; those of MaltParser by their flags, which people know them by."""
    own = not option.flag or option.group in (command, "common") or option.name == "help"
    return [word for word in (option.flag, f"--{option.name}".replace("_", "-") if own else "") if word]


def _choices(option: Option) -> dict[str, str]:
    """The values of an option that have names, with what they mean."""
    return {"true": "", "false": ""} if option.type == "bool" else dict(option.values)


def _is_open(option: Option) -> bool:
    """Whether values without a name are possible, too, such as a file."""
    return option.type not in ("bool", "enum", "class")


def _cases(program: str, command: str, option: Option) -> str:
    return "|".join(_quoted(f"{program} {command} {word}") for word in _spellings(option, command))


def _described(items: Iterable[tuple[str, str]]) -> str:
    return " ".join(_quoted(f"{name}:{text}") for name, text in items)


def _quoted(text: str) -> str:
    """A word for a shell.

    >>> print(_quoted("MaltParser's"))
    'MaltParser'"'"'s'
    """
    return "'{}'".format(text.replace("'", "'\"'\"'"))


def completion(shell: str) -> str:
    """The script for a shell.

    >>> completion("bash").splitlines()[-1]
    'complete -o default -F _malt malt maltopt'
    """
    return SHELLS[shell](catalogue())
