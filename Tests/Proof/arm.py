"""The A64 instructions that the Arm kernel uses (Arm Architecture Reference Manual for A-profile, chapter C7 and C6)."""

import capstone
from capstone import arm64

import spec
import terms as T
from machine import Machine, Refused


class Arm(Machine):
    """An Armv8-A processor."""

    GENERAL = [*(f"x{n}" for n in range(31)), "sp"]
    VECTOR_LANES = 4
    STACK_ALIGNMENT = 16, 0
    POPPED = 0
    RED_ZONE = 0
    ARGUMENTS = [f"x{n}" for n in range(8)]
    decoder = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    decoder.detail = True

    def stack(self):
        return self.registers["sp"]

    def enter(self, return_address):
        self.registers["x30"] = return_address

    def saved(self):
        """The values that a function must preserve (AAPCS64 §6.1). Without a platform that uses it, x18 is a temporary register."""
        values = {f"x{n}": self.registers[f"x{n}"] for n in range(19, 30)}
        values |= {f"d{n}": T.extract(self.registers[f"v{n}"], 0, 64) for n in range(8, 16)}
        return values

    # MARK: Operands

    def register(self, operand):
        """Returns the name and the width of a register."""
        if operand.shift.value or operand.ext or operand.vector_index != -1:
            raise Refused(f"{self.where()}: unsupported operand")
        name = self.instruction.reg_name(operand.reg)
        if name in self.registers and name[0] in "xs":
            return name, 64
        if name[0] in "qvd":
            return "v" + name[1:], 64 if name[0] == "d" else 128
        raise Refused(f"{self.where()}: unsupported register {name}")

    def read(self, operand):
        if operand.type == arm64.ARM64_OP_IMM:
            if operand.shift.value:
                raise Refused(f"{self.where()}: unsupported shift")
            return T.const(64, operand.imm)
        name, width = self.register(operand)
        return T.extract(self.registers[name], 0, width)

    def check_arrangement(self, operand, arrangement):
        if operand.vas != arrangement:
            raise Refused(f"{self.where()}: unsupported arrangement")

    def write(self, operand, value):
        """Writing a vector register clears its upper bits."""
        name, width = self.register(operand)
        self.registers[name] = T.zero_extend(value, 64 if name[0] in "xs" else 128)

    def address(self, operand, following):
        """Returns the address of an operand. `following` is an increment of the base register after the access."""
        if operand.mem.index:
            raise Refused(f"{self.where()}: unsupported address")
        base = self.registers[self.instruction.reg_name(operand.mem.base)]
        return base if following else T.add(base, T.const(64, operand.mem.disp))

    def write_back(self, operand, following):
        """Updates the base register after the access."""
        base, address = self.instruction.reg_name(operand.mem.base), self.address(operand, following)
        if following:
            self.registers[base] = T.add(address, self.read(following[0]))
        elif self.instruction.writeback:
            self.registers[base] = address

    def words(self, operand):
        return T.split(self.read(operand), 32)

    def write_words(self, operand, words):
        self.write(operand, T.concat(words))


instruction = Arm.instruction


@instruction("ldr")
def _(m, d, address, *following):
    value = m.load(m.address(address, following), m.register(d)[1])
    m.write_back(address, following)
    m.write(d, value)


@instruction("ldp")
def _(m, d, e, address, *following):
    width, at = m.register(d)[1], m.address(address, following)
    values = [m.load(T.add(at, T.const(64, n * width // 8)), width) for n in (0, 1)]
    m.write_back(address, following)
    m.write(d, values[0])
    m.write(e, values[1])


@instruction("str")
def _(m, s, address, *following):
    value, at = m.read(s), m.address(address, following)
    m.write_back(address, following)
    m.store(at, value)


@instruction("stp")
def _(m, s, t, address, *following):
    values, at = (m.read(s), m.read(t)), m.address(address, following)
    m.write_back(address, following)
    m.store(at, T.concat(values))


@instruction("adrp")
def _(m, d, page):
    m.write(d, T.const(64, page.imm))


@instruction("mov")
def _(m, d, s):
    if m.register(d)[0][0] == "v":
        m.check_arrangement(d, arm64.ARM64_VAS_16B)
    m.write(d, m.read(s))


@instruction("add")
def _(m, d, x, y):
    if m.register(d)[0][0] == "v":
        m.check_arrangement(d, arm64.ARM64_VAS_4S)
        m.write_words(d, [T.add(a, b) for a, b in zip(m.words(x), m.words(y))])
    else:
        m.write(d, T.add(m.read(x), m.read(y)))


@instruction("sub")
def _(m, d, x, y):
    if m.register(d)[0][0] == "v":
        raise Refused(f"{m.where()}: unsupported operand")
    m.write(d, T.subtract(m.read(x), m.read(y)))


@instruction("cmp")
def _(m, a, b):
    x, y = m.read(a), m.read(b)
    result = T.subtract(x, y)
    m.flags = {
        "n": lambda: T.sign(result), "z": lambda: T.eq(result, T.const(64, 0)), "c": lambda: T.not_(T.ult(x, y)),
        "v": lambda: T.sign(T.and_(T.xor(x, y), T.xor(x, result)))}


def condition(m, code):
    """Returns a branch's condition (C1.2.4)."""
    def flag(name):
        if name not in m.flags:
            raise Refused(f"{m.where()}: the flag {name} is undefined")
        return m.flags[name]()

    conditions = {
        "eq": lambda: flag("z"), "hs": lambda: flag("c"), "mi": lambda: flag("n"),
        "hi": lambda: T.and_(flag("c"), T.not_(flag("z"))), "lt": lambda: T.xor(flag("n"), flag("v")),
        "le": lambda: T.or_(flag("z"), T.xor(flag("n"), flag("v")))}
    opposites = {"ne": "eq", "lo": "hs", "pl": "mi", "ls": "hi", "ge": "lt", "gt": "le"}
    return conditions[code]() if code in conditions else T.not_(conditions[opposites[code]]())


for code in "eq ne hs lo mi pl hi ls lt ge le gt".split():
    @instruction("b." + code)
    def _(m, target, code=code):
        return condition(m, code), target.imm, m.pc


@instruction("b")
def _(m, target):
    m.pc = target.imm


@instruction("nop")
def _(m):
    pass


@instruction("ret")
def _(m, *register):
    m.returned_to, m.pc = m.registers["x30"], None
    if register:
        m.returned_to = m.read(register[0])


@instruction("rev32")
def _(m, d, s):
    m.check_arrangement(d, arm64.ARM64_VAS_16B)
    m.write_words(d, [T.concat(T.split(word, 8)[::-1]) for word in m.words(s)])


# MARK: SHA-256 instructions

def sha256_hash(x, y, w):
    """Returns the words a to d and e to h after four rounds (shared/functions/crypto/SHA256hash)."""
    x, y = list(x), list(y)
    for word in w:
        t = y[3] + spec.Σ1(y[0]) + spec.Ch(y[0], y[1], y[2]) + word
        new_x, new_y = t + x[3], t + spec.Σ0(x[0]) + spec.Maj(x[0], x[1], x[2])
        x, y = [new_y, x[0], x[1], x[2]], [new_x, y[0], y[1], y[2]]
    return x, y


@instruction("sha256h")
def _(m, d, n, w):
    m.write_words(d, sha256_hash(m.words(d), m.words(n), m.words(w))[0])


@instruction("sha256h2")
def _(m, d, n, w):
    m.write_words(d, sha256_hash(m.words(n), m.words(d), m.words(w))[1])


@instruction("sha256su0")
def _(m, d, n):
    x = m.words(d)
    following = x[1:] + m.words(n)[:1]
    m.write_words(d, [a + spec.σ0(b) for a, b in zip(x, following)])


@instruction("sha256su1")
def _(m, d, n, o):
    x, y, z = m.words(d), m.words(n), m.words(o)
    others = y[1:] + z[:1]
    low = [spec.σ1(z[2 + e]) + x[e] + others[e] for e in (0, 1)]
    m.write_words(d, low + [spec.σ1(low[e]) + x[2 + e] + others[2 + e] for e in (0, 1)])
