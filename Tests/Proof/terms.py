"""Bit-vector terms, each with a shadow: its values for some random values of the variables.

Equal terms are the same object. The constructors simplify, and compare the shadow of each simplified term with the values that
the operation itself computes, so that an unsound simplification is found.
"""

import random

# The number of values in a shadow. Few do not tell apart terms that differ rarely.
samples = 8

# Receives each 32-bit term that an operation makes, and returns the term to use instead (a cut point).
cut = None

table = {}
source = random.Random(0)


class Term:
    """An operation of SMT-LIB's QF_BV and its arguments, which are terms and integers."""
    __slots__ = ("op", "args", "width", "shadow")

    def __init__(self, op, args, width, shadow):
        self.op, self.args, self.width, self.shadow = op, args, width, shadow

    @property
    def constant(self):
        """The value of a constant, otherwise None."""
        return self.args[0] if self.op == "const" else None

    # The operators of spec.Word.
    def __add__(self, other): return add(self, other if isinstance(other, Term) else const(self.width, other))
    def __xor__(self, other): return xor(self, other if isinstance(other, Term) else const(self.width, other))
    def __and__(self, other): return and_(self, other)
    def __invert__(self): return not_(self)
    def __rshift__(self, n): return shr(self, n)
    def rotr(self, n): return rotl(self, self.width - n)

    def __repr__(self):
        """The operation with the names of its arguments, because a whole term can be very long."""
        def name(x):
            return x if not isinstance(x, Term) else x.args[0] if x.op in ("var", "const") else x.op
        return f"{self.op}({', '.join(str(name(a)) for a in self.args)})"


def mask(width):
    return (1 << width) - 1


def signed(value, width):
    return value - (value >> width - 1 << width)


def _concat(width, *parts):
    value = shift = 0
    for part, size in zip(parts[::2], parts[1::2]):
        value, shift = value | part << shift, shift + size
    return value


# Each operation: SMT-LIB's operator, and a function of the result's width and the values of the arguments.
operations = {
    "add": ("bvadd", lambda w, x, y: x + y & mask(w)),
    "and": ("bvand", lambda w, x, y: x & y),
    "or": ("bvor", lambda w, x, y: x | y),
    "xor": ("bvxor", lambda w, x, y: x ^ y),
    "not": ("bvnot", lambda w, x: x ^ mask(w)),
    "shl": (None, lambda w, x, n: x << n & mask(w)),
    "shr": (None, lambda w, x, n: x >> n),
    "rotl": (None, lambda w, x, n: (x << n | x >> w - n) & mask(w)),
    "extract": (None, lambda w, x, low: x >> low & mask(w)),
    # Parts and their widths, the lowest first.
    "concat": (None, _concat),
    # A constant, then terms and their factors.
    "sum": (None, lambda w, c, *v: c + sum(x * k for x, k in zip(v[::2], v[1::2])) & mask(w)),
    "eq": (None, lambda w, x, y: int(x == y)),
    "ult": (None, lambda w, x, y: int(x < y)),
    "if": (None, lambda w, c, x, y: x if c else y),
}


def values(op, width, args):
    """Returns the operation's values for the arguments' shadows."""
    function = operations[op][1]
    columns = [a.shadow if isinstance(a, Term) else (a,) * samples for a in args]
    return tuple([function(width, *row) for row in zip(*columns)])


def build(op, width, *args):
    """Returns the term without simplification, except that operations on constants are computed."""
    key = (op, width, args)
    term = table.get(key)
    if term is None:
        if all(not isinstance(a, Term) or a.op == "const" for a in args):
            row = [a.args[0] if isinstance(a, Term) else a for a in args]
            return const(width, operations[op][1](width, *row))
        term = table[key] = Term(op, args, width, values(op, width, args))
    return term if cut is None or width != 32 else cut(term)


def simplified(term, op, *args):
    """Returns the term, which replaces an operation, after comparing the values of both."""
    if term.shadow != values(op, term.width, args):
        raise AssertionError(f"unsound simplification of {op}")
    return term


def const(width, value):
    key = ("const", width, value & mask(width))
    if key not in table:
        table[key] = Term("const", (value & mask(width),), width, (value & mask(width),) * samples)
    return table[key]


def variable(width, name, shadow=None):
    return Term("var", (name,), width, shadow or tuple(source.getrandbits(width) for _ in range(samples)))


# MARK: Arithmetic

def linear(x):
    """Returns a term as a constant and a dictionary of terms and factors."""
    if x.op == "const":
        return x.args[0], {}
    if x.op == "sum":
        return x.args[0], dict(zip(x.args[1::2], x.args[2::2]))
    return 0, {x: 1}


def multiply_add(x, factor, y):
    """Returns factor · x + y for 64-bit terms, which are kept as sums so that addresses can be compared."""
    (a, left), (b, factors) = linear(x), linear(y)
    for term, k in left.items():
        factors[term] = factors.get(term, 0) + factor * k & mask(x.width)
    constant = factor * a + b & mask(x.width)
    factors = {term: k for term, k in factors.items() if k}
    if constant == 0 and list(factors.values()) == [1]:
        result = next(iter(factors))
    else:
        flat = [v for item in sorted(factors.items(), key=lambda item: id(item[0])) for v in item]
        result = build("sum", x.width, constant, *flat)
    return simplified(result, "sum", 0, x, factor, y, 1)


def add(x, y):
    if x.width == 64:
        return multiply_add(x, 1, y)
    for one, other in ((x, y), (y, x)):
        if one.constant == 0:
            return simplified(other, "add", x, y)
    return build("add", x.width, x, y)


def subtract(x, y):
    return multiply_add(y, mask(64), x) if x.width == 64 else build("sum", x.width, 0, x, 1, y, mask(x.width))


# MARK: Bitwise operations

def and_(x, y):
    for one, other in ((x, y), (y, x)):
        if one.constant == 0:
            return simplified(one, "and", x, y)
        if one.constant == mask(x.width):
            return simplified(other, "and", x, y)
    return simplified(x, "and", x, y) if x is y else build("and", x.width, x, y)


def or_(x, y):
    for one, other in ((x, y), (y, x)):
        if one.constant == 0:
            return simplified(other, "or", x, y)
    return simplified(x, "or", x, y) if x is y else build("or", x.width, x, y)


def xor(x, y):
    for one, other in ((x, y), (y, x)):
        if one.constant == 0:
            return simplified(other, "xor", x, y)
    return simplified(const(x.width, 0), "xor", x, y) if x is y else build("xor", x.width, x, y)


def not_(x):
    return build("not", x.width, x)


def shl(x, n):
    if n >= x.width:
        return const(x.width, 0)
    return multiply_add(x, 1 << n, const(64, 0)) if x.width == 64 else build("shl", x.width, x, n)


def shr(x, n):
    return build("shr", x.width, x, n) if n < x.width else const(x.width, 0)


def rotl(x, n):
    n %= x.width
    return build("rotl", x.width, x, n) if n else x


# MARK: Parts

def extract(x, low, width):
    if low == 0 and width == x.width:
        return x
    if x.op == "extract":
        result = build("extract", width, x.args[0], low + x.args[1])
    elif x.op == "concat":
        parts, start = [], 0
        for part, size in zip(x.args[::2], x.args[1::2]):
            first, last = max(low, start), min(low + width, start + size)
            if first < last:
                parts.append(extract(part, first - start, last - first))
            start += size
        result = concat(parts)
    elif x.op == "sum" and low == 0 and width == 32 and all(k == 1 for k in x.args[2::2]):
        result = const(width, x.args[0])
        for term in x.args[1::2]:
            result = add(result, extract(term, 0, width))
    else:
        return build("extract", width, x, low)
    return simplified(result, "extract", x, low)


def concat(parts):
    """Returns the parts side by side, the lowest first."""
    joined = []
    for part in parts:
        for piece in part.args[::2] if part.op == "concat" else [part]:
            last = joined[-1] if joined else None
            if last is not None and last.op == piece.op == "const":
                joined[-1] = const(last.width + piece.width, last.args[0] | piece.args[0] << last.width)
            elif (last is not None and last.op == piece.op == "extract" and last.args[0] is piece.args[0]
                    and last.args[1] + last.width == piece.args[1]):
                whole, low, width = last.args[0], last.args[1], last.width + piece.width
                joined[-1] = whole if width == whole.width else build("extract", width, whole, low)
            else:
                joined.append(piece)
    if len(joined) == 1:
        result = joined[0]
    else:
        result = build("concat", sum(p.width for p in joined), *[v for p in joined for v in (p, p.width)])
    return simplified(result, "concat", *[v for p in parts for v in (p, p.width)])


def split(x, width):
    """Returns the parts of the width, the lowest first."""
    return [extract(x, low, width) for low in range(0, x.width, width)]


def zero_extend(x, width):
    return x if x.width == width else concat([x, const(width - x.width, 0)])


def sign_extend(x, width):
    if x.width == width:
        return x
    return concat([x, if_(sign(x), const(width - x.width, -1), const(width - x.width, 0))])


# MARK: Conditions, which are terms of one bit

def eq(x, y):
    if x.width == 64:
        x, y = subtract(x, y), const(64, 0)
    return simplified(const(1, 1), "eq", x, y) if x is y else build("eq", 1, x, y)


def ult(x, y):
    return build("ult", 1, x, y)


def sign(x):
    return extract(x, x.width - 1, 1)


def if_(condition, x, y):
    if condition.op == "const":
        return simplified(x if condition.args[0] else y, "if", condition, x, y)
    return simplified(x, "if", condition, x, y) if x is y else build("if", x.width, condition, x, y)


# MARK: SMT-LIB

def variables(term):
    """Returns the variables of a term."""
    found, seen, open_terms = set(), set(), [term]
    while open_terms:
        term = open_terms.pop()
        if term not in seen:
            seen.add(term)
            if term.op == "var":
                found.add(term)
            open_terms += [a for a in term.args if isinstance(a, Term)]
    return found


def smt_operation(term, names):
    """Returns the SMT-LIB expression of a term, given the names of its arguments."""
    def literal(value, width):
        return f"(_ bv{value} {width})"

    op, width = term.op, term.width
    args = [names[a] if isinstance(a, Term) else a for a in term.args]
    match op:
        case "const": return literal(args[0], width)
        case "shl" | "shr": return f"(bv{'shl' if op == 'shl' else 'lshr'} {args[0]} {literal(args[1], width)})"
        case "rotl": return f"((_ rotate_left {args[1]}) {args[0]})"
        case "extract": return f"((_ extract {args[1] + width - 1} {args[1]}) {args[0]})"
        case "concat": return f"(concat {' '.join(args[-2::-2])})"
        case "sum":
            products = [f"(bvmul {x} {literal(k, width)})" for x, k in zip(args[1::2], args[2::2])]
            return f"(bvadd {literal(args[0], width)} {' '.join(products)})"
        case "eq": return f"(ite (= {args[0]} {args[1]}) #b1 #b0)"
        case "ult": return f"(ite (bvult {args[0]} {args[1]}) #b1 #b0)"
        case "if": return f"(ite (= {args[0]} #b1) {args[1]} {args[2]})"
        case _: return f"({operations[op][0]} {' '.join(args)})"


def smt(left, right, assumption=None):
    """Returns the SMT-LIB problem that is unsatisfiable if the terms are equal whenever the assumption is true.

    Variables are numbered in the order of their first use, so that problems which differ only in the names of their variables
    are the same text.
    """
    names, declarations, definitions = {}, [], []

    def visit(term):
        if term in names:
            return
        for argument in term.args:
            if isinstance(argument, Term):
                visit(argument)
        if term.op == "var":
            names[term] = f"v{len(declarations)}"
            declarations.append(f"(declare-const {names[term]} (_ BitVec {term.width}))")
        else:
            names[term] = f"t{len(definitions)}"
            definitions.append(f"(define-fun {names[term]} () (_ BitVec {term.width}) {smt_operation(term, names)})")

    roots = [left, right] + ([] if assumption is None else [assumption])
    for root in roots:
        visit(root)
    conditions = [f"(assert (distinct {names[left]} {names[right]}))"]
    if assumption is not None:
        conditions.append(f"(assert (= {names[assumption]} #b1))")
    return "\n".join(["(set-logic QF_BV)", *declarations, *definitions, *conditions, "(check-sat)", ""])
