"""A machine for the code around the compression function, which is opaque; kernels.py proves it for each kernel."""

import spec
import terms as T
from machine import Refused, Region
from x86 import X86

COMPRESS = [("HubCryptoPortable", "8compress__"), ("HubCryptoX86SHA", "8compress__")]
AUTHENTICATE = [("HubCryptoX86SHA", "12authenticate__")]
INITIAL_HASH, BEST = "$s9HubCrypto6SHA256V11initialHash", "$s9HubCrypto12KernelChoiceV4best"
VARIABLE = "s5SIMD8Vys6UInt32VGvpZ"  # The end of the symbol of the variable itself.
MAXIMUM = 1 << 55  # The blocks of a message of 2^61 bytes.


class Message:
    """An argument's bytes in memory: whole blocks, of which the last can be read, and more bytes."""

    def __init__(self, rest, least=None):
        """`least` is the least number of whole blocks, or None if there are none."""
        self.least, self.start = least, T.variable(64, "start")
        self.blocks = T.const(64, 0) if least is None else T.variable(
            64, "blocks", tuple(T.source.randrange(least, MAXIMUM) for _ in range(T.samples)))
        self.rest = [T.variable(8, f"byte{n}") for n in range(rest)]
        self.end = T.multiply_add(self.blocks, 64, T.add(self.start, T.const(64, rest)))


class Null(Message):
    """The empty message at the address zero."""

    def __init__(self):
        super().__init__(0)
        self.start = self.end = T.const(64, 0)


class Program(X86):
    """A machine that also executes the functions which are called, except opaque ones, of which it knows the effects."""

    def __init__(self, image, code, effects):
        super().__init__(image, code)
        self.effects = effects     # Those of the opaque functions, by address.
        self.message = None
        self.assumption = T.const(1, 1)
        self.public = set()        # Variables that addresses and branches may depend on: the message's length and address.
        self.process = set()       # Variables with one value in a process. Both directions of a branch on them are followed.
        self.decided = {}          # The conditions of these branches, and the directions taken.
        self.compressions = []     # The hash value, the block, and variables for the next hash value.
        self.obligations = []
        self.abandoned = []        # The content of memory below the stack pointer when functions were called.

    def copy(self):
        other = super().copy()
        other.decided = dict(self.decided)
        other.compressions, other.obligations, other.abandoned = (
            list(self.compressions), list(self.obligations), list(self.abandoned))
        return other

    # MARK: The state at a function's entry

    def call(self, symbol):
        """Starts a call of a function."""
        self.begin(self.image.address(symbol))
        self.arguments = dict(self.registers)

    def initial_hash(self):
        """Returns the bytes that the initializer of SHA256.initialHash writes."""
        address = self.image.address
        program = type(self)(self.image, self.code, self.effects)
        program.constants = self.constants
        program.begin(address(INITIAL_HASH + "_WZ"))
        program.place("initial hash", T.const(64, address(INITIAL_HASH + VARIABLE)), [T.const(8, 0)] * 32, writable=True)
        if program.run() is not None:
            raise Refused("the initial hash value depends on something")
        program.check_returned()
        self.visited += program.visited
        return [program.memory["initial hash", n] for n in range(32)]

    def place(self, name, address, content, writable=False, alignment=1):
        """Adds an object with the content."""
        self.add_region(Region(name, address, 0, len(content), writable, alignment))
        self.memory.update(((name, n), byte) for n, byte in enumerate(content))

    def process_bytes(self, name, count):
        values = [T.variable(8, f"{name}{n}") for n in range(count)]
        self.process |= set(values)
        return values

    def pass_message(self, message):
        """Passes a message as the first argument: its start and its end."""
        self.message = message
        self.registers |= {"rdi": message.start, "rsi": message.end}
        if isinstance(message, Null):
            return
        self.public |= {message.start} | T.variables(message.blocks)
        self.assume(T.not_(T.eq(message.start, T.const(64, 0))))
        last = []
        if message.least is not None:
            last = [T.variable(8, f"last{n}") for n in range(64)]
            self.assume(T.ult(message.blocks, T.const(64, MAXIMUM)))
            self.assume(T.not_(T.ult(message.blocks, T.const(64, message.least))))
        origin = T.add(T.multiply_add(message.blocks, 64, message.start), T.const(64, -len(last)))
        self.place("message", origin, last + message.rest)

    def assume(self, condition):
        self.assumption = T.and_(self.assumption, condition)

    # MARK: Execution

    def outcomes(self):
        """Runs until the function returns. Yields a machine for each combination of decisions that depend on the process."""
        machines = [self]
        while machines:
            machine = machines.pop()
            branch = machine.run()
            if branch is None:
                machine.check_returned()
                yield machine
                continue
            condition, *successors = branch
            for is_true, successor in zip((1, 0), successors):
                inner, value = (condition.args[0], 1 - is_true) if condition.op == "not" else (condition, is_true)
                successor.decided[inner] = T.const(1, value)
                machines.append(successor)

    def step(self):
        effect = self.effects.get(self.pc)
        if effect:
            if not self.is_aligned(T.add(self.stack(), T.const(64, 8)), 16):
                raise Refused(f"{self.where()}: the stack may not be aligned")
            results = effect(self) or {}
            self.forget()
            self.registers |= results
            self.instructions["ret"](self)
            return None
        if self.pc not in self.code:
            self.code.update(self.lift(self.image, self.pc))
        branch = super().step()
        return branch and (self.decide(branch[0]), *branch[1:])

    @classmethod
    def lift(cls, image, address):
        """Returns the instructions of the function that contains the address."""
        function = image.function(address)
        if function is None:
            raise Refused(f"no function contains the address {address:#x}")
        return cls.decode(bytes(image.read(*function)), function[0])

    def forget(self):
        """Forgets what a called function may change (System V ABI §3.2.1): registers, flags, and the stack below its frame."""
        for name in "rax rcx rdx rsi rdi r8 r9 r10 r11".split():
            self.registers[name] = T.variable(64, "changed")
        for n in range(32):
            self.registers[f"v{n}"] = T.variable(512, "changed")
        self.flags = {}
        region, offset = self.locate(self.stack(), 8)
        for place in [p for p in self.memory if p[0] == region.name and p[1] < offset]:
            self.abandoned.append(self.memory.pop(place))

    def known(self, value):
        """Returns a value as a constant, or as a constant and a multiple of the number of blocks, if it is one."""
        if value.constant is not None or not T.variables(value) <= self.public:
            return value
        for factor in (0, 1, 64):
            product = T.multiply_add(self.message.blocks, factor, T.const(64, 0))
            rest = {x - y & T.mask(64) for x, y in zip(value.shadow, product.shadow)}
            if len(rest) == 1:
                simple = T.add(product, T.const(64, rest.pop()))
                self.require(value, simple)
                return simple
        return value

    def decide(self, condition):
        """Returns the direction of a branch as a constant, or a condition that depends on the process alone."""
        if condition.op == "not":
            return T.not_(self.decide(condition.args[0]))
        variables = T.variables(condition)
        if variables <= self.public and len(set(condition.shadow)) == 1:
            value = T.const(1, condition.shadow[0])
            self.require(condition, value)
            return value
        if variables <= self.process:
            return self.decided.get(condition, condition)
        raise Refused(f"{self.where()}: the branch depends on {', '.join(sorted(str(v.args[0]) for v in variables))}")

    def require(self, left, right):
        """Adds the obligation that two terms are equal."""
        if left is not right:
            self.obligations.append((left, right, self.assumption))

    # MARK: Effects of opaque functions, which return registers

    @classmethod
    def opaque_functions(cls, image):
        """Returns the effects by address."""
        imported = {"memcpy": cls.copy_bytes, "memmove": cls.copy_bytes, "explicit_bzero": cls.write_zeros,
                    "swift_once": cls.once, "swift_allocObject": cls.allocate}
        effects = {image.find(*name)[1]: cls.compress for name in COMPRESS}
        effects |= {image.find(*name)[1]: cls.authenticate for name in AUTHENTICATE}
        effects[image.address("$s9HubCrypto4HMACV10KeyStorageCMa")] = cls.class_metadata
        table, code = image.section(".plt")
        for i in cls.decode(code, table).values():
            if i.mnemonic == "jmp" and (name := image.imports.get(i.address + i.size + i.disp)) in imported:
                effects[i.address] = imported[name]
        return effects

    def class_metadata(self):
        """Returns the metadata of HMAC.KeyStorage."""
        self.metadata = T.variable(64, "metadata")
        return {"rax": self.metadata}

    def constant(self, register):
        value = self.registers[register].constant
        if value is None:
            raise Refused(f"{self.where()}: {register} is not a constant")
        return value

    def once(self):
        """swift_once(token, initializer). Before, the global variable has no value; afterwards, it has that of its initializer."""
        address = self.image.address
        call = self.constant("rdi"), self.constant("rsi")
        initializers = {name: (address(name + "_Wz"), address(name + "_WZ")) for name in (INITIAL_HASH, BEST)}
        if call == initializers[INITIAL_HASH]:
            self.place("initial hash", T.const(64, address(INITIAL_HASH + VARIABLE)), self.initial_hash())
        elif call == initializers[BEST]:
            self.place("kernels", T.const(64, address(BEST + "ACvpZ")), self.process_bytes("kernels", 2))
        else:
            raise Refused(f"{self.where()}: initializes an unknown variable")

    def allocate(self):
        """swift_allocObject(metadata, size, alignment mask)"""
        if self.registers["rdi"] is not self.metadata:
            raise Refused(f"{self.where()}: allocates an object of another class")
        address = T.variable(64, "object")
        self.add_region(Region("object", address, 0, self.constant("rsi"), True, self.constant("rdx") + 1))
        return {"rax": address}

    def copy_bytes(self):
        """memcpy(to, from, count) and memmove"""
        to, count = self.registers["rdi"], self.constant("rdx")
        if count:
            self.store(to, self.load(self.registers["rsi"], 8 * count))
        return {"rax": to}

    def write_zeros(self):
        """explicit_bzero(start, count)"""
        self.store(self.registers["rdi"], T.const(8 * self.constant("rsi"), 0))

    def compress(self):
        """compress(hash value, blocks, count)"""
        at, source, count = (self.registers[name] for name in ("rdi", "rsi", "rdx"))
        if not self.is_aligned(at, 16):
            raise Refused(f"{self.where()}: the hash value may not be aligned")
        H = T.split(self.load(at, 256), 32)
        if count.constant is not None:
            for block in spec.blocks(T.split(self.load(source, 512 * count.constant), 8)):
                H = self.compressed(H, block)
        elif count is self.message.blocks and source is self.message.start:
            H = self.compressed(H, [self.message])
        else:
            raise Refused(f"{self.where()}: compresses other blocks than the message's")
        self.store(at, T.concat(H))

    def authenticate(self):
        """authenticate(inner hash value, outer hash value, blocks, count)"""
        at, outer = self.registers["rdi"], [T.extract(self.registers[v], n, 32) for v in ("v0", "v1") for n in range(0, 128, 32)]
        self.compress()
        digest = [byte for word in T.split(self.load(at, 256), 32) for byte in T.split(word, 8)[::-1]]
        block = spec.padded(digest, (8 * (64 + len(digest))).to_bytes(8, "big"))
        self.store(at, T.concat(self.compressed(outer, [T.const(8, x) if isinstance(x, int) else x for x in block])))

    def compressed(self, H, block):
        result = [T.variable(32, f"H{j}") for j in range(8)]
        self.compressions.append((H, block, result))
        return result

    # MARK: Specification

    def compression(self, H, block):
        """Returns the hash value after a block, in the variables of the program's compression of the same values."""
        H, block = ([T.const(width, x) if isinstance(x, int) else x for x in v] for width, v in ((32, H), (8, block)))
        for *arguments, result in self.compressions:
            pairs = list(zip(H + block, sum(arguments, [])))
            if len(block) == len(arguments[1]) and all(x is y or x.shadow == y.shadow for x, y in pairs):
                for x, y in pairs:
                    self.require(x, y)
                return result
        raise Refused("a block of the specification is not compressed")

    def hash(self, H, preceding=0):
        """Returns the hash value H after the message (FIPS 180-4 §6.2). H has absorbed the number of preceding bytes."""
        message = self.message
        if message.least is not None:
            H = self.compression(H, [message])
        length = T.multiply_add(message.blocks, 512, T.const(64, 8 * (preceding + len(message.rest))))
        for block in spec.blocks(spec.padded(message.rest, T.split(length, 8)[::-1])):
            H = self.compression(H, block)
        return H
