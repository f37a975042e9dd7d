"""Lists the public API of the package from the modules of a debug build, as sorted lines of text.

A line is `PATH | KIND | DECLARATION`. PATH begins with the module, or with `package` for products, traits and platforms
of Package.swift. The compiler's symbol graphs contain the declarations; `swift symbolgraph-extract` reads them from
.swiftmodule files, so that nothing is compiled. Differences that no caller can see are removed from a declaration:
internal parameter names, `@discardableResult`, `override`, `indirect`, and `let` instead of `var`.

Not listed: members that follow from a listed conformance (`==`, `hash(into:)`, members of protocol extensions), and the
marker protocols Copyable, Escapable, BitwiseCopyable and SendableMetatype, which symbol graphs contain incompletely.
"""

import glob
import json
import os
import re
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULES = ("PlatformImage", "PlatformImageLoader", "PlatformImageURLSession", "PlatformImageService")
KINDS = {
    "swift.struct": "struct", "swift.class": "class", "swift.enum": "enum", "swift.protocol": "protocol",
    "swift.typealias": "typealias", "swift.associatedtype": "associatedtype", "swift.enum.case": "case",
    "swift.init": "init", "swift.deinit": "deinit", "swift.method": "method", "swift.type.method": "static method",
    "swift.property": "property", "swift.type.property": "static property", "swift.subscript": "subscript",
    "swift.type.subscript": "static subscript", "swift.func.op": "operator", "swift.func": "function",
    "swift.var": "variable", "swift.macro": "macro"}
PROPERTIES = ("property", "static property", "variable")
MARKERS = {"Copyable", "Escapable", "BitwiseCopyable", "SendableMetatype"}
# Members that a conformance implies, whether they are written in the source or synthesized by the compiler.
IMPLIED = {"==(_:_:)", "!=(_:_:)", "hash(into:)", "hashValue", "init(from:)", "encode(to:)"}
DROPPED_WORDS = re.compile(r"@discardableResult |\b(?:override|indirect) ")


class APIError(Exception):
    """The modules or the manifest cannot be read."""


def declaration(symbol, kind):
    """The declaration of a symbol on one line, without the differences that no caller can see."""
    text = ""
    for fragment in symbol["declarationFragments"]:
        if fragment["kind"] != "internalParam":
            text += fragment["spelling"]
        elif text.endswith(("(", ", ")):
            text += "_"  # parameters of operators, and most of those of subscripts, have no label
        else:
            text = text.rstrip(" ")
    text = DROPPED_WORDS.sub("", " ".join(text.split()))
    text = re.sub(r"^public ", "", text)
    if symbol["accessLevel"] == "open":
        text = "open " + text
    if kind in PROPERTIES:
        constant = re.search(r"\blet ", text.partition(":")[0])
        if "{" not in text:
            text += " { get }" if constant else " { get set }"
        if constant:
            text = text.replace("let ", "var ", 1)
    extension = symbol.get("swiftExtension", {}).get("constraints", [])
    conditions = [condition(each) for each in extension if condition(each) not in text]
    if conditions:
        text += f" [where {', '.join(sorted(conditions))}]"
    return text + availability(symbol.get("availability", []))


def condition(constraint):
    """A generic requirement as text: `Element == Int` or `Element : Sendable`."""
    sign = {"sameType": "==", "superclass": ":", "conformance": ":"}.get(constraint["kind"], constraint["kind"])
    return f"{constraint['lhs']} {sign} {constraint['rhs']}"


def availability(items):
    """Restrictions by availability attributes, for example ` [available macOS 27.0] [deprecated]`."""
    texts = []
    for item in items:
        domain = item.get("domain", "*")
        for word in ("introduced", "obsoleted"):
            if word in item:
                version = item[word]
                number = f"{version['major']}.{version.get('minor', 0)}"
                texts.append(f" [{'available' if word == 'introduced' else word} {domain} {number}]")
        if item.get("isUnconditionallyUnavailable"):
            texts.append(" [unavailable]" if domain == "*" else f" [unavailable {domain}]")
        if item.get("isUnconditionallyDeprecated") or "deprecated" in item:
            texts.append(" [deprecated]" if domain == "*" else f" [deprecated {domain}]")
    return "".join(sorted(texts))


def lines_of_graph(graph):
    """Lines of one symbol graph: declarations and conformances."""
    module, lines, paths = graph["module"]["name"], set(), {}
    requirements = {r["source"] for r in graph["relationships"] if r["kind"] == "requirementOf"}
    defaults = {r["target"] for r in graph["relationships"] if r["kind"] == "defaultImplementationOf"}
    for symbol in graph["symbols"]:
        identifier, components = symbol["identifier"]["precise"], symbol["pathComponents"]
        # Members of another module's type have the name of that module too: PlatformImageLoader.Swift.Duration.oneDay.
        extended = symbol.get("swiftExtension", {}).get("extendedModule", module)
        path = ".".join([module] + ([extended] if extended != module else []) + components)
        paths[identifier] = path
        if "::SYNTHESIZED::" in identifier or components[-1] in IMPLIED:
            continue
        kind = KINDS.get(symbol["kind"]["identifier"])
        if kind is None:
            raise APIError(f"unknown kind of symbol: {symbol['kind']['identifier']}")
        text = declaration(symbol, kind)
        if identifier in requirements:
            kind += " requirement" + (" with default" if identifier in defaults else "")
        lines.add(f"{path} | {kind} | {text}")
    for relation in graph["relationships"]:
        if relation["kind"] not in ("conformsTo", "inheritsFrom") or relation["source"] not in paths:
            continue
        target = paths.get(relation["target"], relation.get("targetFallback", relation["target"]))
        target = re.sub(r"^(Swift|_Concurrency)\.", "", target)
        if target in MARKERS:
            continue
        conditions = sorted(condition(each) for each in relation.get("swiftConstraints", []))
        suffix = f" [where {', '.join(conditions)}]" if conditions else ""
        kind = "conformance" if relation["kind"] == "conformsTo" else "superclass"
        lines.add(f"{paths[relation['source']]} | {kind} | {target}{suffix}")
    return lines


def lines_of_manifest(manifest):
    """Lines of the products, traits and platforms of `swift package dump-package`."""
    lines = set()
    for product in manifest["products"]:
        lines.add(f"package.product.{product['name']} | product | {next(iter(product['type']))}")
    for trait in manifest["traits"]:
        if trait["name"] != "default":
            lines.add(f"package.trait.{trait['name']} | trait | {trait['name']}")
        for enabled in trait["enabledTraits"]:
            lines.add(f"package.trait.{trait['name']} | enabled trait | {enabled}")
    for platform in manifest["platforms"]:
        lines.add(f"package.platform.{platform['platformName']} | platform | {platform['version']}")
    lines.add(f"package.swift | tools version | {manifest['toolsVersion']['_version']}")
    return lines


def ordered(lines):
    """Lines in the order of the file: a type, its conformances, its members."""
    def key(line):
        path, kind, text = line.split(" | ", 2)
        return not path.startswith("package."), path, kind in ("conformance", "superclass", "enabled trait"), kind, text
    return sorted(lines, key=key)


def run(*command, **options):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if result.returncode != 0:
        raise APIError(f"{' '.join(command[:3])}: exit code {result.returncode}\n{result.stderr[-2000:]}")
    return result.stdout


def write_symbol_graphs(swift, build, name, folder, *options):
    """Writes the symbol graphs of the public declarations of a module in `build` into a folder."""
    target = json.loads(run(swift, "-print-target-info"))["target"]["triple"]
    # SwiftPM writes the module maps of C targets that have none into the build folder. It does not remove such a map
    # when the target gets its own; two maps of one module are an error.
    maps = sorted(glob.glob(os.path.join(ROOT, "Sources/*/include/module.modulemap")))
    targets = {path.split(os.sep)[-3] for path in maps}
    maps += [path for path in sorted(glob.glob(os.path.join(build, "*.build/module.modulemap")))
             if os.path.basename(os.path.dirname(path)).removesuffix(".build") not in targets]
    search = [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]
    run(swift, "symbolgraph-extract", "-module-name", name, "-I", os.path.join(build, "Modules"), "-target", target,
        "-minimum-access-level", "public", *options, *search, "-output-dir", folder,
        "-module-cache-path", os.path.join(build, "ModuleCache"))


def extract(root, swift, build):
    """The lines of a checkout, read from the modules in `build` (for example .build/debug), and the compiler."""
    modules = os.path.join(build, "Modules")
    missing = [name for name in MODULES if not os.path.exists(os.path.join(modules, name + ".swiftmodule"))]
    if missing:
        raise APIError(f"{modules} lacks {', '.join(missing)}; `make api` builds them")
    lines = set()
    with tempfile.TemporaryDirectory() as folder:
        for name in MODULES:
            write_symbol_graphs(swift, build, name, folder, "-skip-inherited-docs")
        for path in sorted(os.listdir(folder)):
            with open(os.path.join(folder, path), encoding="utf-8") as file:
                lines |= lines_of_graph(json.load(file))
    lines |= lines_of_manifest(json.loads(run(swift, "package", "dump-package", cwd=root)))
    return lines, json.loads(run(swift, "-print-target-info"))["compilerVersion"]
