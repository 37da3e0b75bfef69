"""Compares the completions and manual pages of sas and nhub with their help. Called by Tests/Scripts/documentation/completions.

Each shell runs with the tools' scripts, and is asked for the completions of command lines: bash by TAB on a pseudo terminal, zsh by TAB
in zpty, fish by `complete -C`. The expected words are parsed from --help.
"""

import os
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile

TOOLS = ("sas", "nhub")
FILE = "a key's [1].txt"


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


class Help:
    """The subcommands, options and texts in a help text."""

    def __init__(self, *command):
        self.items = {}
        self.titles = {}
        title, names = None, []
        for line in output(*command, "--help").splitlines():
            if re.match(r"[A-Z]{2}.*:", line):
                title = line.split(":")[0]
            elif found := re.match(r"  ((?:-\w, )?--?[\w-]+|[a-z][\w-]*)(?:(?: |\[=)[^ ]+)?  +(.*)", line):
                names, text = found[1].split(", "), found[2]
                for name in names:
                    self.items[name] = text
                    self.titles.setdefault(title, []).append(name)
            elif line.startswith("     "):
                for name in names:
                    self.items[name] += " " + line.strip()
            else:
                names = []

    @property
    def options(self):
        return {name: self.first_sentence(text) for name, text in self.items.items() if name.startswith("--")}

    def words(self, title):
        return {name: self.first_sentence(self.items[name]) for name in self.titles[title]}

    @staticmethod
    def first_sentence(text):
        return re.match(r".*?\.(?= |$)|.*", text)[0]


class Terminal:
    """A shell's pseudo terminal, in which Ctrl-O prints the edited line between marks and deletes it."""

    # Movements to another line, and everything else that is not text.
    MOVES = re.compile(r"\x1b\[\d*A")
    CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\r\x07\0]")

    @classmethod
    def offers(cls, line, text):
        """Returns the completions that the terminal shows after TAB and Ctrl-O, with their texts."""
        text = cls.CONTROL.sub("", cls.MOVES.sub("\n", text))
        edited = re.search("=line=(.*)=end=", text)[1]
        offers = {}
        for row in text[: text.index("=line=")].split("\n")[1:]:
            names, _, words = row.partition("-- ") if " -- " in row else (row, "", "")
            # zsh echoes the line with backspaces.
            if "\b" not in row and not row.startswith(("> ", line.split(" ")[0])):
                offers.update((name, words) for name in names.split())
        if not offers and edited != line:
            offers[shlex.split(edited)[-1].split("=")[-1]] = ""
        return offers


class Bash(Terminal):
    """An interactive bash."""

    shows_texts = False
    setup = """
        bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'
        set -u; bind 'set completion-display-width 0'; bind 'set enable-bracketed-paste off'
        show() { printf '\\n=line=%s=end=\\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\\C-o": show'; PS1='> '
    """

    def __init__(self, directory):
        process, self.terminal = pty.fork()
        if process == 0:
            os.chdir(directory)
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], {**os.environ, "TERM": "dumb"})
        self.type(self.setup + "".join(f"source <({tool} completion bash)\n" for tool in TOOLS))

    def type(self, keys):
        os.write(self.terminal, f"{keys}\x0f".encode())
        text = ""
        while not re.search("=line=[^%].*=end=|=line==end=", text):
            if not select.select([self.terminal], [], [], 20)[0]:
                sys.exit(f"completions: bash does not respond to {keys!r}: {text!r}")
            text += os.read(self.terminal, 65536).decode(errors="replace")
        return text

    def offers_of(self, lines):
        return [self.offers(line, self.type(line + "\t")) for line in lines]


class Zsh(Terminal):
    """An interactive zsh in the pseudo terminal of another zsh."""

    shows_texts = True
    script = r"""
        zmodload zsh/zpty
        zpty shell 'TERM=vt100 zsh -f -i'
        type() {
            zpty -w -n shell "$1"$'\x0f'
            zpty -r -m shell text '*=end=*' && print -rn -- "$text"$'\x1e'
        }
        {
            type $'show() { print -r -- "=li""ne=$BUFFER=en""d="; BUFFER= }; zle -N show; bindkey "^O" show; PS1="> "\n'
            type $'stty columns 400 rows 400; LISTMAX=10000; autoload -U compinit; compinit -u -D\n'
            type $'source <(sas completion zsh); source <(nhub completion zsh)\n'
        } > /dev/null
        while IFS= read -r line; do type "$line"$'\t'; done
    """

    def __init__(self, directory):
        self.directory = directory

    def offers_of(self, lines):
        typed = "".join(f"{line}\n" for line in lines)
        texts = output("zsh", "-f", "-c", self.script, cwd=self.directory, input=typed, timeout=120).split("\x1e")
        return [self.offers(line, text) for line, text in zip(lines, texts[:-1], strict=True)]


class Fish:
    """fish, which prints the completions of a command line."""

    shows_texts = True

    def __init__(self, directory):
        self.directory = directory

    def offers_of(self, lines):
        return [self.offers(line) for line in lines]

    def offers(self, line):
        script = "".join(f"{tool} completion fish | source; " for tool in TOOLS) + "complete -C $LINE"
        rows = output("fish", "-N", "-c", script, cwd=self.directory, env={**os.environ, "LINE": line}).splitlines()
        items = (row.partition("\t") for row in rows)
        return {re.sub(r"^--[\w-]+=", "", word): text for word, _, text in items}


def cases():
    """Returns command lines and the completions that they must have, with their texts."""
    tools = {tool: Help(tool) for tool in TOOLS}
    lines = {f"{tool} ": help.words("SUBCOMMANDS") for tool, help in tools.items()}
    for tool, help in tools.items():
        lines[f"{tool} --"] = help.options
        for name in help.words("SUBCOMMANDS"):
            # The help of the subcommand help is the overview.
            if name != "help":
                lines[f"{tool} {name} --"] = Help(tool, name).options
    for line, title in {
        "nhub installation ": "ACTIONS", "nhub emulator ": "ACTIONS", "nhub demo ": "DEMOS", "nhub send ": "FORMATS",
        "nhub schedule ": "FORMATS", "sas completion ": "SHELLS",
    }.items():  # fmt: skip
        lines[line] = Help(*line.split()).words(title)
    topics = dict(lines["sas "])
    lines["sas help "] = {name: text for name, text in topics.items() if name != "help"}
    encodings = re.search("use: (.*?)[.]", Help("sas", "sign").items["--encoding"])[1].split(", ")
    lines["sas sign --encoding "] = lines["sas sign --encoding="] = dict.fromkeys(encodings)
    lines["sas sign --json --encoding=java"] = dict.fromkeys(["java", "javascript"])
    lines["nhub emulator --tier "] = lines["nhub emulator exec --tier="] = dict.fromkeys(["free", "basic", "standard"])
    lines["nhub outcome --wait --js"] = dict.fromkeys(["--json"])
    lines["sas ver"] = {"verify": topics["verify"]}
    for line in (
        "sas sign --key-file ", "sas sign --key-file=", "sas audit ", "nhub import ", "nhub installation patch x ",
        "nhub send apple --tag x ", "nhub check --ca-file ", "nhub send ios --tag x ", "nhub why --message ", "nhub check --connection-string-file ", "nhub emulator exec -- ", "nhub emulator exec -- x ",
    ):  # fmt: skip
        lines[line] = {FILE: None}
    for line in ("sas sign --resource ", "sas verify ", "nhub cancel ", "nhub send template --tag x ", "sas x "):
        lines[line] = {}
    return lines


def check_completions():
    lines = cases()
    problems = 0
    with tempfile.TemporaryDirectory() as directory:
        open(os.path.join(directory, FILE), "w").close()
        for shell in (Bash(directory), Zsh(directory), Fish(directory)):
            name = type(shell).__name__.lower()
            texts = 0
            for (line, expected), offers in zip(lines.items(), shell.offers_of(list(lines)), strict=True):
                problems += report(f"{name}: {line!r}", set(expected), set(offers))
                # A single match is inserted without its text.
                for word in expected if shell.shows_texts and len(expected) > 1 else ():
                    if expected[word] is not None and word in offers:
                        problems += report(f"{name}: text of {word} in {line!r}", {expected[word]}, {offers[word]})
                        texts += 1
            print(f"completions: {name}: {len(lines)} command lines, {texts} texts")
    return problems


def report(what, expected, offered):
    for word in sorted(expected - offered):
        print(f"completions: {what}: missing {word!r}", file=sys.stderr)
    for word in sorted(offered - expected):
        print(f"completions: {what}: unexpected {word!r}", file=sys.stderr)
    return len(expected ^ offered)


def check_pages():
    problems = pages = 0
    for tool in TOOLS:
        names = Help(tool).words("SUBCOMMANDS")
        for command in ([], *([name] for name in names)):
            page = output(tool, "help", "--man", *command)
            for checker in (["groff", "-man", "-ww", "-Tutf8", "-z"], ["mandoc", "-T", "lint"]):
                result = subprocess.run(checker, input=page, capture_output=True, text=True, check=False)
                if result.returncode or result.stdout or result.stderr:
                    print(f"completions: page {tool} {command}: {result.stdout}{result.stderr}", file=sys.stderr)
                    problems += 1
            pages += 1
            # The help of the subcommand help is the overview.
            if command == ["help"]:
                continue
            shown = re.sub(".\b", "", output("mandoc", "-T", "utf8", "-O", "width=1000", input=page))
            help = Help(tool, *command)
            words = set(help.options) if command else set(names).union(*(Help(tool, name).options for name in names))
            texts = set(help.items.values())
            problems += report(f"page {tool} {command}", words, {word for word in words if f" {word}" in shown})
            flat = " ".join(shown.split())
            problems += report(f"texts of page {tool} {command}", texts, {text for text in texts if text in flat})
    print(f"completions: {pages} manual pages")
    return problems


if __name__ == "__main__":
    sys.exit(1 if check_completions() + check_pages() else 0)
