"""Finds the places to mutate in the compiler's syntax tree, and rewrites the sources with all mutants, chosen at run time."""

import bisect
import json
import re

# The function that the rewritten sources call. HUB_MUTANT is the number of the mutant to run; without it, none runs.
SELECTOR = """\
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

private let activeMutant: Int = unsafe getenv("HUB_MUTANT").flatMap { unsafe Int(String(cString: $0)) } ?? 0

@usableFromInline
func isMutant(_ number: Int) -> Bool { number == activeMutant }
"""

OPERATORS = {
    "<": ("boundary", "<="), "<=": ("boundary", "<"), ">": ("boundary", ">="), ">=": ("boundary", ">"),
    "==": ("comparison", "!="), "!=": ("comparison", "=="), "===": ("comparison", "!=="), "!==": ("comparison", "==="),
    "&&": ("logic", "||"), "||": ("logic", "&&"),
    "+": ("arithmetic", "-"), "-": ("arithmetic", "+"), "*": ("arithmetic", "/"), "/": ("arithmetic", "*"),
    "%": ("arithmetic", "/"), "&+": ("arithmetic", "&-"), "&-": ("arithmetic", "&+"), "&*": ("arithmetic", "&+"),
    "+=": ("arithmetic", "-="), "-=": ("arithmetic", "+="), "*=": ("arithmetic", "+="), "&+=": ("arithmetic", "&-="),
    "&-=": ("arithmetic", "&+="), "&": ("bits", "|"), "|": ("bits", "&"), "^": ("bits", "|"), "<<": ("bits", ">>"),
    ">>": ("bits", "<<"), "&<<": ("bits", "&>>"), "&>>": ("bits", "&<<"), "|=": ("bits", "&="), "&=": ("bits", "|="),
    "^=": ("bits", "|="),
}  # fmt: skip
# Mangled types, whose names make the rewritten expressions faster to check.
TYPES = {
    "$sSiD": "Int", "$sSuD": "UInt", "$sSbD": "Bool", "$sSSD": "String", "$sSdD": "Double", "$ss5UInt8VD": "UInt8",
    "$ss6UInt32VD": "UInt32", "$ss6UInt64VD": "UInt64", "$ss5Int64VD": "Int64",
}  # fmt: skip
# Functions of one type each, because the compiler checks a long expression with many overloads too slowly.
SELECTOR += "".join(
    f"""
@usableFromInline
func mutated{name}(_ number: Int, _ new: {name}, _ old: {name}) -> {name} {{ isMutant(number) ? new : old }}
"""
    for name in TYPES.values()
)
NEVER = "$ss5NeverOD"
INTEGERS = {"Int", "UInt", "UInt8", "UInt32", "UInt64", "Int64"}
TABLE_SIZE = 8
TOKEN = re.compile(rb"0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+-]?[0-9]+)?|`[^`]+`|#?[\w$\x80-\xff]+")
INTEGER = re.compile(rb"0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*")


def string_end(text, start):
    """Returns the end of a string literal, with its interpolations."""
    hashes = len(re.compile(rb"#*").match(text, start)[0])
    position = start + hashes
    quote = b'"""' if text.startswith(b'"""', position) else b'"'
    position += len(quote)
    escape, closing = b"\\" + b"#" * hashes, quote + b"#" * hashes
    while not text.startswith(closing, position):
        if not text.startswith(escape, position):
            position += 1
            continue
        position += len(escape)
        depth = text.startswith(b"(", position)
        position += 1
        while depth:
            if text.startswith((b'"', b'#"'), position):
                position = string_end(text, position)
                continue
            depth += {b"(": 1, b")": -1}.get(text[position : position + 1], 0)
            position += 1
    return position + len(closing)


def token_end(text, start):
    if re.compile(rb'#*"').match(text, start):
        return string_end(text, start)
    token = TOKEN.match(text, start)
    return token.end() if token else start + 1


class Site:
    """A change of one range of bytes in a source file."""

    def __init__(self, file, start, end, operator, new, type_name=None):
        self.file, self.start, self.end, self.operator, self.new = file, start, end, operator, new
        self.type_name = type_name
        self.number = 0
        # Whether the choice is in a closure, whose body the compiler checks apart from the expression around it.
        self.in_closure = False

    @property
    def removes(self):
        return self.operator == "statement"


    @property
    def can_be_closure(self):
        return not self.in_closure and self.type_name and self.operator != "constant" and not re.search(rb"\b(try|await)\b", self.new)


class File:
    """A source file and its sites."""

    def __init__(self, path, text, tree):
        self.path, self.text = path, text
        self.sites = {}
        self.in_initializer = False
        self.visit(tree)

    # Finding

    def bounds(self, node):
        return node["range"]["start"], token_end(self.text, node["range"]["end"])

    def source(self, node):
        start, end = self.bounds(node)
        return self.text[start:end]

    def add(self, node, operator, new, type_name=None):
        start, end = self.bounds(node)
        if new != self.text[start:end]:
            self.sites.setdefault((start, end, operator, new), Site(self.path, start, end, operator, new, type_name))

    def visit(self, node):
        if isinstance(node, list):
            for child in node:
                self.visit(child)
            return
        if not isinstance(node, dict):
            return
        kind = node.get("_kind", "")
        is_mirror = kind == "call_expr" and "range" in node and self.source(node).startswith(b"Mirror(")
        if kind == "interpolated_string_literal_expr" or is_mirror:
            return
        outer = self.in_initializer
        self.in_initializer = outer or kind == "constructor_decl"
        if "range" in node and not node.get("implicit"):
            finder = getattr(self, "find_" + kind, None)
            if finder:
                finder(node)
        if kind in ("brace_stmt", "case_stmt"):
            self.find_statements(node.get("elements", []))
        skipped = self.middle_of_table(node)
        for name, child in node.items():
            if name == "original_init" and "processed_init" in node:
                continue
            if isinstance(child, list):
                child = [item for item in child if id(item) not in skipped]
            self.visit(child)
        self.in_initializer = outer

    def middle_of_table(self, node):
        """Returns most literals of a table, such as the 64 constants of SHA-256, so that it does not outweigh all other code."""
        items = node.get("elements") or (node.get("args") if node.get("_kind") == "argument_list" else None)
        if not isinstance(items, list):
            return set()
        literals = [item for item in items if item.get("expr", item).get("_kind") == "integer_literal_expr"]
        if len(literals) <= TABLE_SIZE:
            return set()
        kept = {0, len(literals) // 3, 2 * len(literals) // 3, len(literals) - 1}
        return {id(item) for index, item in enumerate(literals) if index not in kept}

    def find_binary_expr(self, node):
        callee = node["fn"]
        while "decl" not in callee and ("fn" in callee or "sub_expr" in callee):
            callee = callee.get("fn") or callee["sub_expr"]
        name, arguments = callee.get("decl", {}).get("base_name"), node["args"]["args"]
        start = node["fn"].get("range", {}).get("start")
        if start is None or len(arguments) != 2 or not self.text.startswith((name or "\0").encode(), start):
            return
        first = arguments[0]["expr"]
        joins = re.match(r"\$sS[Sa]", first.get("sub_expr", first).get("type", ""))
        if name in OPERATORS and not joins:
            operator, other = OPERATORS[name]
            whole = self.bounds(node)
            new = self.text[whole[0] : start] + other.encode() + self.text[start + len(name) : whole[1]]
            self.add(node, operator, new, TYPES.get(node["type"]))
        upper = arguments[1]["expr"]
        if name in ("..<", "...") and TYPES.get(upper.get("type")) in INTEGERS and "range" in upper:
            self.add(upper, "boundary", b"(" + self.source(upper) + b") - 1", TYPES[upper["type"]])

    def find_prefix_unary_expr(self, node):
        start, end = self.bounds(node)
        if self.text[start : start + 1] == b"!" and TYPES.get(node["type"]) == "Bool":
            self.add(node, "logic", self.text[start + 1 : end], "Bool")

    def find_integer_literal_expr(self, node):
        text, kind = self.source(node), TYPES.get(node["type"])
        if INTEGER.fullmatch(text) and kind in INTEGERS:
            value = int(text.replace(b"_", b""), 0)
            isFull = value > 126 and value & (value + 1) == 0
            self.add(node, "constant", str(value - 1 if isFull else value + 1).encode(), kind)

    def find_boolean_literal_expr(self, node):
        if self.source(node) in (b"true", b"false"):
            self.add(node, "constant", b"false" if self.source(node) == b"true" else b"true", TYPES.get(node["type"]))

    def find_string_literal_expr(self, node):
        """Changes the first character. Texts with spaces, which are for people, stay."""
        text = self.source(node)
        if re.fullmatch(rb'"[\x21\x23-\x5b\x5d-\x7d][^\s\\"]*"', text):
            first = text[1] + 1
            while first in b'"\\':
                first += 1
            self.add(node, "constant", b'"%c' % first + text[2:], TYPES.get(node["type"]))

    def find_call_expr(self, node):
        arguments = [
            argument["expr"] for argument in node["args"].get("args", [])
            if "range" in argument["expr"] and not argument.get("inout") and "type" in argument["expr"]
            and not re.search("default_argument|closure|vararg", argument["expr"]["_kind"])
        ]  # fmt: skip
        for first, second in zip(arguments, arguments[1:]):
            is_symmetric = re.match(rb"(min|max)\(", self.source(node))
            if not is_symmetric and first["type"] == second["type"] and self.source(first) != self.source(second):
                (start, end), (a, b), (c, d) = self.bounds(node), self.bounds(first), self.bounds(second)
                text = self.text
                self.add(node, "arguments", text[start:a] + text[c:d] + text[b:c] + text[a:b] + text[d:end])

    def find_condition(self, node, values):
        if node and node.get("_kind", "").endswith("_expr") and TYPES.get(node.get("type")) == "Bool" and "range" in node:
            for value in values:
                self.add(node, "condition", value, "Bool")

    def find_guard_stmt(self, node):
        for condition in node["conditions"]:
            self.find_condition(condition, [b"true"])

    def find_if_stmt(self, node):
        for condition in node["conditions"]:
            self.find_condition(condition, [b"true", b"false"])

    def find_while_stmt(self, node):
        for condition in node["conditions"]:
            if condition.get("_kind") == "boolean_literal_expr":
                condition["implicit"] = True
            else:
                self.find_condition(condition, [b"false"])

    def find_repeat_while_stmt(self, node):
        self.find_condition(node["cond"], [b"false"])

    def find_ternary_expr(self, node):
        self.find_condition(node["cond_expr"], [b"true", b"false"])

    def find_for_each_stmt(self, node):
        self.find_condition(node.get("where"), [b"true"])

    def find_case_stmt(self, node):
        for item in node.get("case_label_items", []):
            self.find_condition(item.get("where_expr"), [b"true", b"false"])

    def find_statements(self, elements):
        for node in elements:
            if node["_kind"] == "return_stmt" and node.get("implicit") and node.get("result", {}).get("type") == "$sytD":
                node = node["result"]
            inner = node
            while inner["_kind"] in ("unsafe_expr", "try_expr"):
                inner = inner["sub_expr"]
            if self.in_initializer and inner["_kind"] == "assign_expr" or inner.get("type") == NEVER:
                continue
            if "range" in node and b".reserveCapacity(" in self.source(node):
                continue
            if node["_kind"].endswith("_expr") and not node.get("implicit") and "range" in node:
                self.add(node, "statement", b"")

    # Describing

    def describe(self, site):
        """Returns the site's line number, and the old and new text of its lines."""
        start = self.text.rfind(b"\n", 0, site.start) + 1
        end = self.text.find(b"\n", site.end)
        old = self.text[start:end]
        new = self.text[start : site.start] + site.new + self.text[site.end : end]
        line = self.text.count(b"\n", 0, site.start) + 1
        return line, *(" ".join(text.decode().split()) for text in (old, new))

    # Rewriting

    def rewritten(self, sites):
        """Returns the text with the given sites as choices at run time, and the ranges of the choices in it."""
        ordered = sorted(sites, key=lambda site: (site.start, -site.end, not site.removes))
        output, spans = bytearray(), []

        def write(start, end, inner):
            """Writes a range of the original text, in which `inner` are the sites from outside to inside."""
            position = start
            while inner:
                site, rest = inner[0], inner[1:]
                nested = [other for other in rest if other.end <= site.end]
                output.extend(self.text[position : site.start])
                first = len(output)
                if site.removes:
                    output.extend(b"if !isMutant(%d) { " % site.number)
                    write(site.start, site.end, nested)
                    output.extend(b" }")
                elif site.operator == "constant" and site.type_name:
                    output.extend(b"mutated%s(%d, %s, " % (site.type_name.encode(), site.number, site.new))
                    write(site.start, site.end, nested)
                    output.extend(b")")
                elif site.in_closure:
                    values = site.type_name.encode(), site.number, site.new
                    output.extend(b"{ () -> %s in if isMutant(%d) { return %s }; return " % values)
                    write(site.start, site.end, nested)
                    output.extend(b" }()")
                else:
                    output.extend(b"(isMutant(%d) ? (%s) : (" % (site.number, site.new))
                    write(site.start, site.end, nested)
                    output.extend(b"))")
                spans.append((first, len(output), site))
                position = site.end
                inner = [other for other in rest if other.start >= site.end]
            output.extend(self.text[position:end])

        write(0, len(self.text), ordered)
        return bytes(output), spans


def parse_dump(path, text, dump):
    return File(path, text, json.loads(dump))


class Spans:
    """Finds the choices at a line and column of a rewritten file."""

    def __init__(self, text, spans):
        self.text, self.spans = text, spans
        self.lines = [0] + [match.end() for match in re.finditer(b"\n", text)]

    def at(self, line, column, message):
        """Returns the innermost site of an error, or else all sites of the nearest line that has any.

        A removed initialization is reported where the variable is used.
        """
        variable = re.search(r"'(?:self\.)?(\w+)' (?:used|captured .*) before being initialized", message)
        if variable:
            assignment = re.compile(rb"if !isMutant\(\d+\) \{ (self\.)?" + variable[1].encode() + rb" = ")
            return [site for first, _, site in self.spans if assignment.match(self.text, first)]
        offset = self.lines[line - 1] + column - 1
        around = [span for span in self.spans if span[0] <= offset < span[1]]
        if around:
            return [min(around, key=lambda span: span[1] - span[0])[2]]
        # An expression that is too long for the compiler may start before its sites, and one whose type is unknown may end after.
        ends = [*self.lines[1:], len(self.text)]
        order = range(line - 1, len(ends)) if "reasonable time" in message else range(line - 1, -1, -1)
        for index in order:
            found = [site for first, last, site in self.spans if first < ends[index] and last > self.lines[index]]
            if found:
                return found
        return []
