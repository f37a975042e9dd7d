"""Breaking and compatible changes between two lists of the public API (Scripts/lib/public_api.py).

Docs/versioning.md describes the rules. They compare declarations as text, so that a list of an old version is enough.
"""

import difflib
import re
from collections import namedtuple

# Kinds of which one path has several lines, each of which is added or removed on its own.
RELATIONS = {"conformance": "conformance removed", "superclass": "superclass removed",
             "enabled trait": "trait not enabled"}
FUNCTIONS = ("init", "method", "static method", "function", "subscript", "static subscript")
Symbol = namedtuple("Symbol", "path kind text")
# name: the word for accepted-breaks.txt; old or new may be None; members: number of members of a removed type
Break = namedtuple("Break", "name path old new members")


def parsed(text):
    """Symbols of a list; lines with # are comments."""
    return {Symbol(*line.split(" | ", 2)) for line in text.split("\n") if line and not line.startswith("#")}


def base(path):
    """A path without parameter labels, which overloads and their replacements share."""
    return re.sub(r"\(.*", "", path)


def split_availability(text):
    """A declaration without its availability, and the availability as {(word, domain): version or None}."""
    found = re.findall(r" \[(available|obsoleted|unavailable|deprecated)(?: (\S+))?(?: (\d+)\.(\d+))?\]", text)
    rest = re.sub(r" \[(?:available|obsoleted|unavailable|deprecated)[^\]]*\]", "", text)
    return rest, {(word, domain): (int(major), int(minor)) if major else None for word, domain, major, minor in found}


def parameters(text):
    """A declaration of a function as (text before the parameters, [(label and type, default or None)], rest)."""
    start, depth, quoted, parts, part = None, 0, False, [], ""
    angle = 0
    for index, character in enumerate(text):
        if start is None:
            # The parenthesis of the parameters is the first one outside of <generic parameters>.
            angle += (character == "<") - (character == ">")
            if character == "(" and angle == 0:
                start = index
            continue
        if character == '"':
            quoted = not quoted
        elif not quoted and character in "([{<":
            depth += 1
        elif not quoted and (character in ")]}" or character == ">" and text[index - 1] != "-"):
            if depth == 0:
                parts.append(part)
                pairs = [tuple((each.strip().split(" = ", 1) + [None])[:2]) for each in parts if each.strip()]
                return text[:start], pairs, text[index + 1:]
            depth -= 1
        elif not quoted and depth == 0 and character == ",":
            parts.append(part)
            part = ""
            continue
        part += character
    return text, [], ""


def extends_parameters(old, new):
    """The new function accepts every call of the old one: it only has more defaults, or more parameters with one."""
    (old_head, old_pairs, old_rest), (new_head, new_pairs, new_rest) = parameters(old), parameters(new)
    if (old_head, old_rest) != (new_head, new_rest):
        return False
    index = 0
    for parameter, default in new_pairs:
        expected = old_pairs[index] if index < len(old_pairs) else None
        if expected and expected[0] == parameter and expected[1] in (None, default):
            index += 1
        elif default is None:
            return False
    return index == len(old_pairs)


def restricts(old, new):
    """The availability of a declaration became narrower. Deprecation does not count."""
    for (word, domain), version in new.items():
        if word == "deprecated":
            continue
        before = old.get((word, domain), "missing")
        if before == "missing" or word == "available" and version > before or word == "obsoleted" and version < before:
            return True
    return False


def is_compatible(old, new):
    """Clients of the old declaration compile with the new one."""
    (old_text, old_availability) = split_availability(old.text)
    (new_text, new_availability) = split_availability(new.text)
    if restricts(old_availability, new_availability):
        return False
    if "requirement" in old.kind or "requirement" in new.kind:
        return old_text == new_text and new.kind in (old.kind, old.kind + " with default")
    if old.kind != new.kind:
        return False
    if old.kind == "platform":
        return [int(part) for part in new_text.split(".")] <= [int(part) for part in old_text.split(".")]
    if old.kind == "tools version" or old_text == new_text:
        return True
    if old.kind == "enum":
        return old_text.replace("@nonexhaustive ", "") == new_text
    if not old_text.startswith("open "):
        # Outside of its module a class that is not open has no subclasses, so that `final` makes no difference.
        old_text, new_text = (re.sub(r"\b(?:open|final) ", "", text) for text in (old_text, new_text))
    if old_text == new_text or old_text.replace("{ get }", "{ get set }") == new_text:
        return True
    return old.kind in FUNCTIONS and extends_parameters(old_text, new_text)


def container(path, known):
    """The path of the outermost type or protocol of `known` that contains `path`, or None."""
    parts = base(path).split(".")
    for count in range(2, len(parts)):
        if ".".join(parts[:count]) in known:
            return ".".join(parts[:count])
    return None


def compare(old, new):
    """Breaks, compatible changes as (old, new), and additions of two sets of symbols."""
    types = {"struct", "class", "enum", "protocol", "typealias"}
    old_types = {symbol.path: symbol for symbol in old if symbol.kind in types}
    new_types = {symbol.path: symbol for symbol in new if symbol.kind in types}
    gone, removed, added = set(old_types) - set(new_types), old - new, new - old
    breaks, compatible = [], []

    # A requirement is compared with requirements only: an extension may contain a method of the same name.
    def group(symbol):
        return base(symbol.path), "requirement" in symbol.kind

    for symbol in sorted(removed):
        if symbol.kind in RELATIONS:
            if symbol.path not in gone and not container(symbol.path, gone):
                breaks.append(Break(RELATIONS[symbol.kind], symbol.path, symbol, None, 0))
            continue
        if container(symbol.path, gone):
            continue
        # Unchanged overloads count too: one with more defaults may accept the calls of a removed one.
        rivals = [each for each in new if group(each) == group(symbol) and each.kind not in RELATIONS]
        fitting = sorted(each for each in rivals if is_compatible(symbol, each))
        if fitting:
            compatible.append((symbol, fitting[0]))
            added.discard(fitting[0])
            continue
        candidates = sorted(each for each in rivals if each in added)
        if candidates:
            def similarity(each):
                return difflib.SequenceMatcher(None, symbol.text, each.text).ratio()
            closest = max(candidates, key=similarity)
            added.discard(closest)
            same = split_availability(symbol.text)[0] == split_availability(closest.text)[0]
            name = "availability raised" if same and symbol.kind == closest.kind else "changed"
            breaks.append(Break(name, symbol.path, symbol, closest, 0))
        else:
            members = sum(each.kind not in RELATIONS and each.path.startswith(symbol.path + ".") for each in removed)
            breaks.append(Break("removed", symbol.path, symbol, None, members if symbol.path in gone else 0))

    for symbol in sorted(added):
        parent = old_types.get(base(symbol.path).rpartition(".")[0])
        if symbol.kind == "conformance" and getattr(old_types.get(symbol.path), "kind", "") == "protocol":
            name = "inherited protocol added"
        elif symbol.kind == "case" and parent and not parent.text.startswith("@nonexhaustive "):
            name = "case added"
        elif symbol.kind.endswith(" requirement") and parent and " = " not in symbol.text:
            name = "requirement added"
        else:
            continue
        breaks.append(Break(name, symbol.path, None, symbol, 0))
        added.discard(symbol)
    return breaks, compatible, sorted(added)
