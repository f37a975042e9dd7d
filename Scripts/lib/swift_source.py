"""Lexical analysis of Swift sources: code without comments and literals, and the tests of the test targets."""

import bisect
import os
import re
import subprocess

TOKENS = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*)|(?P<raw>\#+"{3}|\#+")|(?P<long>\"\"\")|(?P<string>")"""
    r"""|(?P<name>`[^`\n]*`)|(?P<open>[{(\[])|(?P<close>[})\]])""")
COMMENT_EDGE = re.compile(r"/\*|\*/")


def blank(text):
    """The source with comments and string literals replaced by spaces, so that positions stay equal.

    Newlines, the quotes of literals and the code inside interpolations are not replaced.
    """
    out = [character if character == "\n" else " " for character in text]

    def copy(begin, end):
        out[begin:end] = text[begin:end]

    def string(at, end, escape):
        """The position after a string literal whose delimiter is `end`."""
        while at < len(text):
            if text.startswith(end, at):
                copy(at, at + len(end))
                return at + len(end)
            if text.startswith(escape + "(", at):
                at = code(at + len(escape) + 1, True)
            elif text.startswith(escape, at):
                at += len(escape) + 1
            else:
                at += 1
        return at

    def comment(at):
        """The position after a block comment, which may be nested."""
        level = 1
        while level:
            edge = COMMENT_EDGE.search(text, at)
            if not edge:
                return len(text)
            level += 1 if edge.group() == "/*" else -1
            at = edge.end()
        return at

    def code(at, is_interpolation):
        """The position after the code that begins at a position; an interpolation ends at its closing parenthesis."""
        depth = 0
        while at < len(text):
            found = TOKENS.search(text, at)
            if not found:
                copy(at, len(text))
                return len(text)
            copy(at, found.start())
            kind, token, at = found.lastgroup, found.group(), found.end()
            if kind == "block":
                at = comment(at)
            elif kind == "raw":
                copy(found.start(), at)
                hashes = token.rstrip('"')
                at = string(at, token[len(hashes):] + hashes, "\\" + hashes)
            elif kind in ("long", "string"):
                copy(found.start(), at)
                at = string(at, token, "\\")
            elif kind == "name":
                copy(found.start(), at)
            elif kind in ("open", "close"):
                if kind == "close" and is_interpolation and depth == 0:
                    return at
                depth += 1 if kind == "open" else -1
                copy(found.start(), at)
        return at

    code(0, False)
    return "".join(out)


def tracked_files(root, *patterns):
    """Files that git tracks or does not ignore, and that exist, as paths relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=root, check=True, capture_output=True,
        text=True).stdout
    return sorted({path for path in listed.splitlines() if os.path.isfile(os.path.join(root, path))})


# ---------------------------------------------------------------- tests

SCOPE = re.compile(
    r"[{}]|(?<![.\w`])(?:struct|class|enum|actor|extension)\s+(?P<type>[A-Z]\w*(?:\.[A-Z]\w*)*)"
    r"|(?<![\w@.])func\s+(?P<func>`[^`\n]+`|\w+)|@(?P<attribute>Test|Suite)\b|(?P<trait>\.requirement\s*\()")
LITERAL = re.compile(r'"([^"\\\n]*)"')


class SourceError(Exception):
    """A trait that this analysis cannot attribute to a test or a suite."""


class TestIndex:
    """Suites and tests of a set of sources, and the requirements that they name.

    - suites: paths of types with tests or the attribute `@Suite`, such as `Outer.Inner`; with their files.
    - tests: pairs of the path of a suite (empty at file scope) and a name; with their files.
    - requirements: identifiers with the set of `Suite.test` or `Suite` that verify them.
    """

    def __init__(self):
        self.suites, self.tests, self.requirements = {}, {}, {}

    def add(self, text, path):
        """Adds the tests of one source."""
        code = blank(text)
        lines = [match.start() for match in re.finditer("\n", text)]
        scopes, pending, attributes, traits = [], None, [], []

        def current():
            return ".".join(name for name in scopes if name)

        for found in SCOPE.finditer(code):
            if found.group("trait"):
                end = closing(code, found.end() - 1)
                ids = LITERAL.findall(text, found.end(), end)
                line = bisect.bisect_left(lines, found.start()) + 1
                if not ids or not any(begin < found.start() < stop for _, begin, stop in attributes):
                    raise SourceError(f"{path}:{line}: a requirement outside of @Test and @Suite, or without ids")
                traits += ids
            elif found.group("attribute"):
                begin = code.find("(", found.end())
                has_arguments = begin >= 0 and not code[found.end():begin].strip()
                end = closing(code, begin) if has_arguments else found.end()
                attributes.append((found.group("attribute"), found.start(), end))
            elif any(begin < found.start() < end for _, begin, end in attributes):
                continue  # a closure or a type name in the arguments of an attribute
            elif found.group("type"):
                pending = found.group("type")
                if any(kind == "Suite" for kind, _, _ in attributes):
                    suite = ".".join(name for name in [current(), pending] if name)
                    self.suites.setdefault(suite, path)
                    self.name(traits, suite)
                    attributes, traits = [], []
            elif found.group("func"):
                name = found.group("func").strip("`")
                if any(kind == "Test" for kind, _, _ in attributes):
                    suite = current()
                    if suite:
                        self.suites.setdefault(suite, path)
                    self.tests.setdefault((suite, name), path)
                    self.name(traits, f"{suite}.{name}" if suite else name)
                    attributes, traits = [], []
                pending = None
            elif found.group() == "{":
                scopes.append(pending)
                pending = None
            elif scopes:
                scopes.pop()

    def name(self, ids, reference):
        for identifier in ids:
            self.requirements.setdefault(identifier, set()).add(reference)

    def has(self, reference):
        """Whether a suite, a test (`Suite.test`) or a test at file scope with this name exists."""
        suite, _, name = reference.rpartition(".")
        if reference in self.suites or (suite, name) in self.tests:
            return True
        # A nested suite may be named without the types around it.
        return any(path.endswith("." + reference) for path in self.suites) or any(
            test == name and path.endswith("." + suite) for path, test in self.tests if suite)


def closing(code, opening):
    """The position of the bracket that closes the one at `opening`, in blanked code."""
    depth = 0
    for at in range(opening, len(code)):
        if code[at] in "([{":
            depth += 1
        elif code[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at
    return len(code)


def read_tests(root):
    """The tests of all sources in the folders Tests and Examples."""
    index = TestIndex()
    for path in tracked_files(root, "Tests/*.swift", "Examples/*.swift"):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            index.add(file.read(), path)
    return index
