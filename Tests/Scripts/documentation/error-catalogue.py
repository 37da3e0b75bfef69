"""Compares the article "Errors" with the public error types in the symbol graphs: error-catalogue.py ARTICLE GRAPH...

Each error type has a heading with its name, and each of its codes or cases a row. Prints the differences, and exits with 1 if there
are any.
"""

import json
import re
import sys


def documented(path):
    """Returns the first cells of the tables, by heading."""
    sections, name = {}, None
    with open(path, encoding="utf-8") as article:
        for line in article:
            if heading := re.match(r"## (\S+)$", line):
                name = heading[1]
                sections[name] = []
            elif (row := re.match(r"\| `(\w+)` \|", line)) and name:
                sections[name].append(row[1])
    sections.pop("Overview", None)
    return sections


def declared(paths):
    """Returns the codes or cases of each public error type; for a type without any, its stored properties."""
    types = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
        members = {}
        errors = set()
        for relation in graph["relationships"]:
            if relation["kind"] == "memberOf" and relation["source"] in symbols:
                members.setdefault(relation["target"], []).append(symbols[relation["source"]])
            if relation["kind"] == "conformsTo" and relation["target"] == "s:s5ErrorP":
                errors.add(relation["source"])
        for error in errors & symbols.keys():
            own = members.get(error, [])
            codes = names(own, "swift.enum.case")
            for nested in own:
                if nested["names"]["title"].endswith(".Code"):
                    codes += names(members.get(nested["identifier"]["precise"], []), "swift.type.property")
            types[".".join(symbols[error]["pathComponents"])] = (codes, names(own, "swift.property"))
    return types


def names(symbols, kind):
    return sorted(re.sub(r"\(.*", "", symbol["pathComponents"][-1]) for symbol in symbols if symbol["kind"]["identifier"] == kind)


article, types = documented(sys.argv[1]), declared(sys.argv[2:])
problems = [f"missing section: {name}" for name in sorted(types.keys() - article.keys())]
problems += [f"unknown error type: {name}" for name in sorted(article.keys() - types.keys())]
count = 0
for name in sorted(types.keys() & article.keys()):
    codes, properties = types[name]
    rows = article[name]
    count += len(rows)
    if codes:
        problems += [f"{name}: missing code: {code}" for code in codes if code not in rows]
        problems += [f"{name}: unknown code: {row}" for row in rows if row not in codes]
    else:
        problems += [f"{name}: unknown property: {row}" for row in rows if row not in properties]
        problems += [f"{name}: empty section"] if not rows else []
    problems += [f"{name}: {row} appears twice" for row in sorted(set(rows)) if rows.count(row) > 1]
for problem in problems:
    print(f"{sys.argv[1]}: {problem}", file=sys.stderr)
print(f"error catalogue: {len(article)} error types, {count} codes")
sys.exit(1 if problems or not types else 0)
