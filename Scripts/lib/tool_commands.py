"""The commands and options of imagetool and imagetool-bench, read from their declarations in Sources."""

import os
import re

from swift_source import blank, closing, tracked_files

TOOLS = {"imagetool": "Sources/imagetool", "imagetool-bench": "Sources/imagetool-bench"}
BUILT_IN = {"--help", "--help-hidden", "--version"}
# Declared in Sources/ToolSupport/CommandLine for both tools.
BUILT_IN_COMMANDS = ("completion",)
TOKEN = re.compile(
    r"[{}]|(?<![.\w`])(?:struct|class|enum|extension)\s+(?P<type>[A-Z]\w*(?:\.[A-Z]\w*)*)"
    r"|@(?P<attribute>Option|Flag|OptionGroup)\b|commandName:\s*(?P<name>\")|subcommands:\s*(?P<list>\[)"
    r"|(?<![.\w])case\s+(?P<cases>[\w, ]+)")
VARIABLE = re.compile(r"\bvar\s+(\w+)\s*(?::\s*(\w+))?")
LITERAL = re.compile(r'"([^"]*)"')


def kebab(name):
    """The option name that the command line derives from the name of a property: `publicURL` becomes `public-url`."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1-\2", name)
    return "--" + re.sub(r"([A-Z])([A-Z][a-z])", r"\1-\2", words).lower()


class Declarations:
    """The declarations of a type: a command name, options, types whose options belong to it, and subcommands."""

    def __init__(self):
        self.name, self.options, self.others, self.cases, self.children = None, set(), set(), set(), []


def read_declarations(text, types):
    """Adds the declarations of one source to `types`, by the path of the type."""
    code, scopes, pending = blank(text), [], None

    def current():
        return types.setdefault(".".join(name for name in scopes if name), Declarations())

    for found in TOKEN.finditer(code):
        if found.group("type"):
            pending = found.group("type")
        elif found.group("name"):
            literal = LITERAL.match(text, found.start("name"))
            current().name = literal.group(1) if literal else None
        elif found.group("list"):
            begin = found.start("list")
            current().children += re.findall(r"(\w+)\.self", code[begin:closing(code, begin)])
        elif found.group("cases"):
            current().cases.update(kebab(name.strip()) for name in found.group("cases").split(","))
        elif found.group("attribute"):
            end, arguments = found.end(), ""
            if code[end:end + 1] == "(":
                stop = closing(code, end)
                arguments, end = text[end:stop], stop
            variable = VARIABLE.search(code, end)
            if not variable:
                continue
            names = re.findall(r'\.customLong\("([^"]*)"', arguments)
            has_only_short = ".customShort" in arguments and ".long" not in arguments and not names
            if found.group("attribute") == "OptionGroup":
                current().others.add(variable.group(2))
            else:
                if not has_only_short:
                    current().options.update({f"--{name}" for name in names} or {kebab(variable.group(1))})
                # A flag whose type is an enum has one option for each case of the enum.
                current().others.add(variable.group(2))
        elif found.group() == "{":
            scopes.append(pending)
            pending = None
        elif scopes:
            scopes.pop()


def all_options(path, found, types, last, seen):
    """The options of a type and of the types of its properties, such as option groups in option groups."""
    options = found.options | found.cases
    for other in found.others - seen:
        nested = types.get(f"{path}.{other}") or last.get(other)
        if nested:
            options = options | all_options(f"{path}.{other}", nested, types, last, seen | {other})
    return options


def read_commands(root):
    """For each tool: its commands, such as `cache stat` (empty for the tool itself), with their options."""
    tools = {}
    for tool, folder in TOOLS.items():
        types = {}
        for path in tracked_files(root, f"{folder}/*.swift"):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                read_declarations(file.read(), types)
        last = {path.rpartition(".")[2]: found for path, found in types.items()}
        commands = {"": BUILT_IN | {"--man", "--verbose", "--generate-completion-script"}}
        commands.update((name, set(BUILT_IN)) for name in BUILT_IN_COMMANDS)
        for path, found in types.items():
            if not found.name or found.name == tool:
                continue
            child = path.rpartition(".")[2]
            parents = [other.name for other in types.values() if child in other.children and other.name != tool]
            name = " ".join([*parents, found.name])
            commands[name] = BUILT_IN | all_options(path, found, types, last, set())
        tools[tool] = commands
    return tools
