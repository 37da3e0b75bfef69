"""The x86-64 instructions that the kernels use (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2)."""

import capstone
from capstone import x86

import spec
import terms as T
from machine import Machine, Refused, Region

GENERAL = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split()
# Parts of general-purpose registers: the register and the width.
PARTS = {r: (r, 64) for r in GENERAL}
for name in "abcd":
    PARTS |= {f"e{name}x": (f"r{name}x", 32), f"{name}x": (f"r{name}x", 16), f"{name}l": (f"r{name}x", 8)}
for name in "sp bp si di".split():
    PARTS |= {f"e{name}": (f"r{name}", 32), name: (f"r{name}", 16), f"{name}l": (f"r{name}", 8)}
for name in GENERAL[8:]:
    PARTS |= {f"{name}d": (name, 32), f"{name}w": (name, 16), f"{name}b": (name, 8)}
ALIGNED = {"vmovdqa", "vmovaps", "vmovdqa64"}

class X86(Machine):
    """An x86-64 processor with SHA extensions and AVX-512."""

    GENERAL = GENERAL
    VECTOR_LANES = 16
    STACK_ALIGNMENT = 16, 8  # A call has pushed the return address,
    POPPED = 8               # which `ret` pops.
    RED_ZONE = 128           # Bytes below the stack pointer that signal handlers keep (System V ABI §3.2.2).
    ARGUMENTS = "rdi rsi rdx rcx r8 r9".split()
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True

    def stack(self):
        return self.registers["rsp"]

    def enter(self, return_address):
        """Places the return address on the stack, and names the registers that the instructions also use."""
        self.registers |= {name: T.variable(64, name) for name in ["canary", *(f"k{n}" for n in range(8))]}
        self.regions.append(Region("return", self.stack(), 0, 8, False))
        self.put(("return", 0, 64), return_address)

    def saved(self):
        """The values that a function must preserve (System V ABI §3.2.1)."""
        return {name: self.registers[name] for name in "rbx rbp r12 r13 r14 r15".split()}

    def operands(self):
        """Returns the operands without the mask register."""
        i, operands = self.instruction, list(self.instruction.operands)
        self.opmask = None
        if len(operands) > 1 and "{k" in i.op_str:
            self.opmask = self.registers[i.reg_name(operands.pop(1).reg)]
            if "{z}" in i.op_str or i.mnemonic not in ("vmovdqa64", "vmovdqu64"):
                raise Refused(f"{self.where()}: unsupported mask")
        return operands

    # MARK: Operands

    def address(self, operand):
        memory, name = operand.mem, self.instruction.reg_name
        if memory.segment:
            raise Refused(f"{self.where()}: unsupported segment")
        address = T.const(64, memory.disp)
        if memory.base:
            base = name(memory.base)
            address = T.add(address, T.const(64, self.pc) if base == "rip" else self.registers[base])
        if memory.index:
            address = T.multiply_add(self.registers[name(memory.index)], memory.scale, address)
        return address

    def aligned_address(self, operand):
        """Returns the address of an operand. Some instructions fault if it is not a multiple of the size."""
        address, mnemonic = self.address(operand), self.instruction.mnemonic
        needs_alignment = mnemonic in ALIGNED or mnemonic[0] != "v" and mnemonic not in ("movdqu", "movups")
        if operand.size >= 16 and needs_alignment and not self.is_aligned(address, operand.size):
            raise Refused(f"{self.where()}: the address may not be aligned")
        return address

    def read(self, operand, width=None):
        width = width or operand.size * 8
        if operand.type == x86.X86_OP_IMM:
            return T.const(width, operand.imm)
        if operand.type == x86.X86_OP_MEM:
            if self.instruction.op_str.endswith("qword ptr fs:[0x28]"):
                return self.registers["canary"]  # The stack protector's random value.
            if "{1to" in self.instruction.op_str:
                vector = self.instruction.operands[0].size * 8
                return T.concat([self.load(self.address(operand), operand.size * 8)] * (vector // (operand.size * 8)))
            return self.load(self.aligned_address(operand), width)
        name = self.instruction.reg_name(operand.reg)
        if name in PARTS:
            register, size = PARTS[name]
            return T.extract(self.registers[register], 0, min(width, size))
        if name[0] == "k":
            return self.registers[name]
        return T.extract(self.registers["v" + name[3:]], 0, width)

    def write(self, operand, value, lane=None):
        if operand.type == x86.X86_OP_MEM:
            if self.opmask is not None:
                raise Refused(f"{self.where()}: unsupported mask")
            self.store(self.aligned_address(operand), value)
            return
        name = self.instruction.reg_name(operand.reg)
        if name in PARTS:
            register, size = PARTS[name]
            if value.width != size:
                raise Refused(f"{self.where()}: {value.width} bits for {name}")
            if size == 32:
                value = T.zero_extend(value, 64)
            elif size < 32:
                value = T.concat([value, T.extract(self.registers[register], size, 64 - size)])
            self.registers[register] = self.known(value)
        elif name[0] == "k":
            self.registers[name] = T.zero_extend(value, 64)
        else:
            self.write_vector("v" + name[3:], value)

    def known(self, value):
        """Returns the value for a general-purpose register, or an equal and simpler one."""
        return value

    def write_vector(self, register, value):
        """Legacy SSE instructions keep the upper bits of the register; VEX and EVEX instructions clear them."""
        old = self.registers[register]
        if self.opmask is not None:
            value = T.concat([
                T.if_(T.extract(self.opmask, n, 1), new, kept)
                for n, (new, kept) in enumerate(zip(T.split(value, 64), T.split(old, 64)))])
        if self.instruction.mnemonic[0] == "v":
            self.registers[register] = T.zero_extend(value, 512)
        elif value.width < 512:
            self.registers[register] = T.concat([value, T.extract(old, value.width, 512 - value.width)])

    # MARK: Flags

    def set_flags(self, result, carry, overflow):
        """Each flag is computed when it is used. AF and PF are not supported."""
        self.flags = {
            "cf": carry, "of": overflow,
            "zf": lambda: T.eq(result, T.const(result.width, 0)), "sf": lambda: T.sign(result)}

    def flag(self, name):
        if name not in self.flags:
            raise Refused(f"{self.where()}: the flag {name} is undefined or not supported")
        return self.flags[name]()

    def condition(self, code):
        """Returns the condition of jcc (appendix B.1.4.7, EFLAGS condition codes)."""
        flag = self.flag
        positive = {
            "b": lambda: flag("cf"), "e": lambda: flag("zf"), "be": lambda: T.or_(flag("cf"), flag("zf")),
            "s": lambda: flag("sf"), "l": lambda: T.xor(flag("sf"), flag("of")),
            "le": lambda: T.or_(flag("zf"), T.xor(flag("sf"), flag("of")))}
        negative = {"ae": "b", "ne": "e", "a": "be", "ns": "s", "ge": "l", "g": "le"}
        if code in positive:
            return positive[code]()
        if code in negative:
            return T.not_(positive[negative[code]]())
        raise Refused(f"{self.where()}: unknown condition {code}")


instruction = X86.instruction
zero = lambda: T.const(1, 0)


def immediate(m, operand):
    if operand.type != x86.X86_OP_IMM:
        raise Refused(f"{m.where()}: expected an immediate operand")
    return operand.imm


def check_size(m, operand):
    if operand.size != 8:
        raise Refused(f"{m.where()}: unsupported size")


# MARK: General-purpose instructions

@instruction("mov", "movabs")
def _(m, d, s):
    m.write(d, m.read(s, d.size * 8))


@instruction("movzx")
def _(m, d, s):
    m.write(d, T.zero_extend(m.read(s), d.size * 8))


@instruction("lea")
def _(m, d, s):
    m.write(d, T.extract(m.address(s), 0, d.size * 8))


@instruction("nop")
def _(m, *_):
    pass


@instruction("push")
def _(m, s):
    check_size(m, s)
    value = m.read(s)
    m.registers["rsp"] = T.add(m.registers["rsp"], T.const(64, -8))
    m.store(m.registers["rsp"], value)


@instruction("pop")
def _(m, d):
    check_size(m, d)
    value = m.load(m.registers["rsp"], 64)
    m.registers["rsp"] = T.add(m.registers["rsp"], T.const(64, 8))
    m.write(d, value)


@instruction("call")
def _(m, target):
    m.registers["rsp"] = T.add(m.registers["rsp"], T.const(64, -8))
    m.store(m.registers["rsp"], T.const(64, m.pc))
    m.pc = immediate(m, target)


@instruction("ret")
def _(m):
    m.returned_to = m.load(m.registers["rsp"], 64)
    m.registers["rsp"] = T.add(m.registers["rsp"], T.const(64, 8))
    m.pc = m.returned_to.constant


def addition(m, x, y):
    result = T.add(x, y)
    m.set_flags(
        result, lambda: T.ult(result, x),
        lambda: T.sign(T.and_(T.not_(T.xor(x, y)), T.xor(x, result))))
    return result


def subtraction(m, x, y):
    result = T.subtract(x, y)
    m.set_flags(result, lambda: T.ult(x, y), lambda: T.sign(T.and_(T.xor(x, y), T.xor(x, result))))
    return result


def logic(operation):
    def function(m, x, y):
        result = operation(x, y)
        m.set_flags(result, zero, zero)
        return result
    return function


def binary(mnemonic, operation, stores=True):
    @instruction(mnemonic)
    def _(m, d, s):
        result = operation(m, m.read(d), m.read(s, d.size * 8))
        if stores:
            m.write(d, result)


binary("add", addition)
binary("sub", subtraction)
binary("cmp", subtraction, stores=False)
binary("xor", logic(T.xor))
binary("or", logic(T.or_))
binary("test", logic(T.and_), stores=False)


@instruction("and")
def _(m, d, s):
    x, y = m.read(d), m.read(s, d.size * 8)
    if x is m.registers["rsp"] and d.size == 8 and T.signed(y.constant or 0, 64) < 0:
        m.write(d, m.aligned(x, y))
        m.flags = {}
    else:
        m.write(d, logic(T.and_)(m, x, y))


def aligned(m, x, y):
    """Returns the address that `and` leaves in rsp: an arbitrary address below the stack in use, of a frame of its own."""
    frame = T.variable(64, "frame", tuple(a & b for a, b in zip(x.shadow, y.shadow)))
    for region in m.regions:
        if region.name == "stack":
            region = Region("stack", region.origin, T.signed(T.subtract(x, region.origin).constant, 64), region.high, True, *m.STACK_ALIGNMENT)
            m.regions = [r for r in m.regions if r.name != "stack"] + [region]
    m.add_region(Region("frame", frame, -0x10000, 0, True, -T.signed(y.constant, 64)))
    return frame


X86.aligned = aligned


def step(mnemonic, operation, constant):
    """inc and dec, which keep CF."""
    @instruction(mnemonic)
    def _(m, d):
        carry = m.flags.get("cf")
        m.write(d, operation(m, m.read(d), T.const(d.size * 8, constant)))
        del m.flags["cf"]
        if carry:
            m.flags["cf"] = carry


step("inc", addition, 1)
step("dec", subtraction, 1)


def shift_count(m, d, s):
    """Returns the count of a shift, which must be a constant, modulo 32 or 64."""
    count = m.read(s, 8).constant
    if count is None:
        raise Refused(f"{m.where()}: the count is not a constant")
    return count & (63 if d.size == 8 else 31)


@instruction("shl")
def _(m, d, s):
    m.write(d, T.shl(m.read(d), shift_count(m, d, s)))
    m.flags = {}


@instruction("shr")
def _(m, d, s):
    m.write(d, T.shr(m.read(d), shift_count(m, d, s)))
    m.flags = {}


@instruction("shld")
def _(m, d, s, count):
    if d.size < 4:
        raise Refused(f"{m.where()}: undefined for 16 bits")
    both = T.concat([m.read(s), m.read(d)])
    m.write(d, T.extract(both, 8 * d.size - shift_count(m, d, count), 8 * d.size))
    m.flags = {}


@instruction("neg")
def _(m, d):
    m.write(d, subtraction(m, T.const(d.size * 8, 0), m.read(d)))


@instruction("bswap")
def _(m, d):
    if d.size < 4:
        raise Refused(f"{m.where()}: undefined for 16 bits")
    m.write(d, T.concat(T.split(m.read(d), 8)[::-1]))


@instruction("ud2")
def _(m):
    raise Refused(f"{m.where()}: reaches a trap")


@instruction("rol")
def _(m, d, s):
    m.write(d, T.rotl(m.read(d), immediate(m, s) & 31 if d.size < 8 else immediate(m, s) & 63))
    m.flags = {}


@instruction("jmp")
def _(m, target):
    m.pc = immediate(m, target)


for code in "b be e s l le ae a ne ns ge g".split():
    @instruction("j" + code)
    def _(m, target, code=code):
        return m.condition(code), immediate(m, target), m.pc

    @instruction("set" + code)
    def _(m, d, code=code):
        m.write(d, T.zero_extend(m.condition(code), 8))


# MARK: Vector moves

@instruction("movdqa", "movdqu", "movaps", "movups", "vmovdqa", "vmovdqu", "vmovaps", "vmovups", "vmovdqa64", "vmovdqu64")
def _(m, d, s):
    m.write(d, m.read(s))


@instruction("movss")
def _(m, d, s):
    if s.type != x86.X86_OP_MEM:
        raise Refused(f"{m.where()}: unsupported operand")
    m.write(d, T.zero_extend(m.read(s), 128))


@instruction("movd", "movq")
def _(m, d, s):
    width = 32 if m.instruction.mnemonic == "movd" else 64
    value = m.read(s, width)
    is_vector = d.type == x86.X86_OP_REG and m.instruction.reg_name(d.reg) not in PARTS
    m.write(d, T.zero_extend(value, 128) if is_vector else value)


@instruction("kmovd")
def _(m, d, s):
    m.write(d, m.read(s))


@instruction("vzeroupper")
def _(m):
    for n in range(16):
        m.registers[f"v{n}"] = T.zero_extend(T.extract(m.registers[f"v{n}"], 0, 128), 512)


@instruction("vinserti128", "vinserti32x4", "vinserti64x4")
def _(m, d, x, y, n):
    part = m.read(y)
    parts = T.split(m.read(x), part.width)
    parts[immediate(m, n) % len(parts)] = part
    m.write(d, T.concat(parts))


@instruction("vextracti32x4")
def _(m, d, s, n):
    parts = T.split(m.read(s), 128)
    m.write(d, parts[immediate(m, n) % len(parts)])


# MARK: Vector arithmetic

def lanewise(mnemonics, width, operation):
    """Computes each lane from the lanes of two sources; in the legacy form, the first is also the destination."""
    @instruction(*mnemonics.split())
    def _(m, *operands):
        x, y = m.read(operands[-2]), m.read(operands[-1])
        m.write(operands[0], T.concat([operation(a, b) for a, b in zip(T.split(x, width), T.split(y, width))]))


lanewise("paddd vpaddd", 32, T.add)
lanewise("pxor xorps vpxord", 32, T.xor)
lanewise("por", 32, T.or_)
lanewise("pand vpandd", 32, T.and_)
lanewise("pcmpeqd", 32, lambda x, y: T.if_(T.eq(x, y), T.const(32, -1), T.const(32, 0)))


@instruction("movmskps")
def _(m, d, s):
    m.write(d, T.zero_extend(T.concat([T.sign(x) for x in T.split(m.read(s), 32)]), 32))


def shift(mnemonics, operation):
    @instruction(*mnemonics.split())
    def _(m, *operands):
        x, n = m.read(operands[-2]), immediate(m, operands[-1]) & 0xFF
        m.write(operands[0], T.concat([operation(a, n) for a in T.split(x, 32)]))


shift("psrld vpsrld", T.shr)
shift("pslld", T.shl)
shift("vprold", T.rotl)


@instruction("vpternlogd")
def _(m, d, y, z, table):
    def choose(a, b, c):
        """The table's bit number 4a + 2b + c, for each bit of the words."""
        result = T.const(32, 0)
        for n in range(8):
            if immediate(m, table) >> n & 1:
                x, y, z = (v if n & bit else T.not_(v) for v, bit in ((a, 4), (b, 2), (c, 1)))
                result = T.or_(result, T.and_(x, T.and_(y, z)))
        return result

    words = [T.split(m.read(v), 32) for v in (d, y, z)]
    m.write(d, T.concat([choose(*lanes) for lanes in zip(*words)]))


# MARK: Shuffles, which work on each 128 bits

def quarterwise(mnemonics, operation, has_immediate=False):
    """`operation` receives 128 bits of the destination or first source, of the second source, and the immediate."""
    @instruction(*mnemonics.split())
    def _(m, *operands):
        n = immediate(m, operands[-1]) & 0xFF if has_immediate else None
        sources = operands[:-1] if has_immediate else operands
        x, y = m.read(sources[-2]), m.read(sources[-1])
        m.write(operands[0], T.concat([
            T.concat(operation(a, b, n)) for a, b in zip(T.split(x, 128), T.split(y, 128))]))


def interleave(width, high):
    def operation(x, y, _):
        x, y = T.split(x, width), T.split(y, width)
        half = len(x) // 2
        lanes = range(half, 2 * half) if high else range(half)
        return [v for n in lanes for v in (x[n], y[n])]
    return operation


quarterwise("punpcklbw", interleave(8, False))
quarterwise("punpckhbw", interleave(8, True))
quarterwise("punpckldq vpunpckldq", interleave(32, False))
quarterwise("punpckhdq vpunpckhdq", interleave(32, True))
quarterwise("punpcklqdq vpunpcklqdq", interleave(64, False))
quarterwise("punpckhqdq vpunpckhqdq", interleave(64, True))


def fields(n):
    return [n & 3, n >> 2 & 3, n >> 4 & 3, n >> 6]


def choose_words(x, n):
    return [T.extract(x, 32 * i, 32) for i in fields(n)]


quarterwise("pshufd", lambda _, y, n: choose_words(y, n), True)
quarterwise("shufps", lambda x, y, n: choose_words(x, n)[:2] + choose_words(y, n)[2:], True)
quarterwise("pshuflw", lambda _, y, n: [T.extract(y, 16 * i, 16) for i in fields(n)] + [T.extract(y, 64, 64)], True)
quarterwise("pshufhw", lambda _, y, n: [T.extract(y, 0, 64)] + [T.extract(y, 64 + 16 * i, 16) for i in fields(n)], True)
quarterwise("pblendw", lambda x, y, n: [T.extract(y if n >> i & 1 else x, 16 * i, 16) for i in range(8)], True)
quarterwise("palignr", lambda x, y, n: [T.extract(T.concat([y, x, T.const(256, 0)]), 8 * min(n, 32), 128)], True)


def saturated(x):
    """Returns a signed word as an unsigned byte, limited to 0 … 255."""
    low, high = T.split(x, 8)
    inside = T.if_(T.eq(high, T.const(8, 0)), low, T.const(8, 0xFF))
    return T.if_(T.sign(x), T.const(8, 0), inside)


quarterwise("packuswb", lambda x, y, _: [saturated(v) for v in T.split(x, 16) + T.split(y, 16)])


def shuffle_bytes(x, y, _):
    def choose(index, low, count):
        """Returns the byte of x that the lowest bits of the index select, from `low` on."""
        if count == 1:
            return T.extract(x, 8 * low, 8)
        half = count // 2
        return T.if_(T.extract(index, half.bit_length() - 1, 1), choose(index, low + half, half), choose(index, low, half))
    return [T.if_(T.sign(index), T.const(8, 0), choose(index, 0, 16)) for index in T.split(y, 8)]


quarterwise("pshufb vpshufb", shuffle_bytes)


@instruction("pslldq", "psrldq")
def _(m, d, n):
    x, count = m.read(d), 8 * min(immediate(m, n) & 0xFF, 16)
    zeros = T.const(128, 0)
    is_left = m.instruction.mnemonic == "pslldq"
    m.write(d, T.extract(T.concat([zeros, x]), 128 - count, 128) if is_left else T.extract(T.concat([x, zeros]), count, 128))


# MARK: SHA extensions

@instruction("sha256rnds2")
def _(m, d, s, *_):
    c, d_, g, h = T.split(m.read(d), 32)[::-1]
    a, b, e, f = T.split(m.read(s), 32)[::-1]
    for wk in T.split(T.extract(m.registers["v0"], 0, 64), 32):
        t1 = h + spec.Σ1(e) + spec.Ch(e, f, g) + wk
        a, b, c, d_, e, f, g, h = t1 + spec.Σ0(a) + spec.Maj(a, b, c), a, b, c, d_ + t1, e, f, g
    m.write(d, T.concat([f, e, b, a]))


@instruction("sha256msg1")
def _(m, d, s):
    w0, w1, w2, w3 = T.split(m.read(d), 32)
    w4 = T.split(m.read(s), 32)[0]
    m.write(d, T.concat([w0 + spec.σ0(w1), w1 + spec.σ0(w2), w2 + spec.σ0(w3), w3 + spec.σ0(w4)]))


@instruction("sha256msg2")
def _(m, d, s):
    x0, x1, x2, x3 = T.split(m.read(d), 32)
    _, _, w14, w15 = T.split(m.read(s), 32)
    w16, w17 = x0 + spec.σ1(w14), x1 + spec.σ1(w15)
    m.write(d, T.concat([w16, w17, x2 + spec.σ1(w16), x3 + spec.σ1(w17)]))
