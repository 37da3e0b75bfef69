"""A processor that computes with terms: registers, memory and one function's instructions."""

import copy

import terms as T


class Refused(Exception):
    """The code cannot be lifted or proved."""


class Region:
    """An object in memory. Offsets are relative to the term `origin`, whose remainder modulo `alignment` is known."""

    def __init__(self, name, origin, low, high, writable, alignment=1, remainder=0):
        self.name, self.origin, self.low, self.high, self.writable = name, origin, low, high, writable
        self.alignment, self.remainder = alignment, remainder


class Machine:
    """The state of one run. Subclasses add the instruction set: `decoder`, and functions of the machine and the operands."""

    limit = 100_000  # instructions in one run

    def __init_subclass__(cls):
        cls.instructions = dict(getattr(cls, "instructions", {}))

    @classmethod
    def instruction(cls, *mnemonics):
        """Decorates the function that executes an instruction."""
        def register(function):
            cls.instructions.update((mnemonic, function) for mnemonic in mnemonics)
            return function
        return register

    @classmethod
    def decode(cls, data, address):
        """Returns a function's instructions by address."""
        return {i.address: i for i in cls.decoder.disasm(data, address)}

    def __init__(self, image, code):
        self.image = image
        self.code = code            # instructions by address
        self.pc = None
        self.registers = {}
        self.flags = {}             # functions that return terms of one bit
        self.regions = []
        self.memory = {}            # terms of eight bits, by region and offset
        self.visited = []           # addresses of the executed instructions
        self.constants = {}         # the program's constant bytes that were read, by address

    def copy(self):
        """Returns a machine that continues from here. Both share `code` and `constants`."""
        other = copy.copy(self)
        other.visited, other.registers, other.flags = list(self.visited), dict(self.registers), dict(self.flags)
        other.regions, other.memory = list(self.regions), dict(self.memory)
        return other

    # MARK: Calls

    def begin(self, address):
        """Starts a call of the function at the address. The registers have arbitrary values."""
        self.pc, self.flags = address, {}
        self.registers = {name: T.variable(64, name) for name in self.GENERAL}
        self.registers |= {
            f"v{n}": T.concat([T.variable(32, f"v{n}.{lane}") for lane in range(self.VECTOR_LANES)]) for n in range(32)}
        self.return_address = T.variable(64, "return")
        self.regions = [Region("stack", self.stack(), -0x10000, 0, True, *self.STACK_ALIGNMENT)]
        self.enter(self.return_address)
        self.preserved, self.entry_stack = self.saved(), self.stack()

    def check_returned(self):
        """Checks that the function has returned to its caller and has restored the registers that it must preserve."""
        if self.returned_to is not self.return_address:
            raise Refused("returns to another address")
        if T.subtract(self.stack(), self.entry_stack).constant != self.POPPED:
            raise Refused("the stack pointer is not restored")
        for name, value in self.saved().items():
            if T.subtract(value, self.preserved[name]).constant != 0:
                raise Refused(f"{name} is not restored")

    # MARK: Memory

    def add_region(self, region):
        if any(other.name == region.name for other in self.regions):
            raise Refused(f"{self.where()}: a second object {region.name}")
        self.regions.append(region)

    def locate(self, address, count):
        """Returns the region and the offset of an address, which must be an object's address plus a constant."""
        for region in self.regions:
            offset = T.subtract(address, region.origin).constant
            if offset is not None:
                offset = T.signed(offset, 64)
                if region.low <= offset and offset + count <= region.high and self.is_kept(region, offset):
                    return region, offset
        raise Refused(f"{self.where()}: no object contains the address {address}")

    def is_kept(self, region, offset):
        """Whether signal handlers do not change the memory: on the stack, they write below the red zone."""
        if region.name not in ("stack", "frame"):
            return True
        above = T.subtract(T.add(region.origin, T.const(64, offset + self.RED_ZONE)), self.stack()).constant
        return above is None or T.signed(above, 64) >= 0

    def is_aligned(self, address, count):
        """Whether an address is certainly a multiple of the count."""
        if address.constant is not None:
            return address.constant % count == 0
        region, offset = self.locate(address, count)
        return region.alignment % count == 0 and (region.remainder + offset) % count == 0

    def load(self, address, width):
        count = width // 8
        data = None if address.constant is None else self.image.read(address.constant, count)
        if data is not None:
            self.constants.update(zip(range(address.constant, address.constant + count), data))
            return T.const(width, int.from_bytes(data, "little"))
        region, offset = self.locate(address, count)
        try:
            return T.concat([self.memory[region.name, offset + i] for i in range(count)])
        except KeyError:
            raise Refused(f"{self.where()}: reads {region.name}{offset:+} before it is written") from None

    def store(self, address, value):
        region, offset = self.locate(address, value.width // 8)
        if not region.writable:
            raise Refused(f"{self.where()}: writes to {region.name}")
        for i, part in enumerate(T.split(value, 8)):
            self.memory[region.name, offset + i] = part

    def stored(self, name, offset, width):
        """Returns the value at the offset of a region, or None if nothing is stored there."""
        parts = [self.memory.get((name, offset + i)) for i in range(width // 8)]
        return None if None in parts else T.concat(parts)

    def get(self, place):
        """Returns the value of a place: a register's name, an offset in it, and a width, or the same of a region."""
        name, offset, width = place
        if name in self.registers:
            return T.extract(self.registers[name], offset, width)
        return self.stored(name, offset, width)

    def put(self, place, value):
        name, offset, width = place
        if name in self.registers:
            whole = self.registers[name]
            parts = T.split(whole, width)
            parts[offset // width] = value
            self.registers[name] = T.concat(parts)
        else:
            for i, part in enumerate(T.split(value, 8)):
                self.memory[name, offset + i] = part

    # MARK: Execution

    def where(self):
        if not self.visited:
            return f"{self.pc:#x}"
        instruction = self.code[self.visited[-1]]
        return f"{instruction.address:#x}: {instruction.mnemonic} {instruction.op_str}"

    def execute(self, instruction):
        """Executes one instruction. Returns the condition, the target and the following address of a branch."""
        function = self.instructions.get(instruction.mnemonic)
        if function is None:
            raise Refused(f"{self.where()}: unknown instruction")
        self.instruction, self.pc = instruction, instruction.address + instruction.size
        return function(self, *self.operands())

    def operands(self):
        return self.instruction.operands

    def step(self):
        """Executes the next instruction; see `execute`."""
        instruction = self.code.get(self.pc)
        if instruction is None:
            raise Refused(f"{self.where()}: leaves the function")
        if len(self.visited) > self.limit:
            raise Refused(f"{self.where()}: more than {self.limit} instructions")
        self.visited.append(self.pc)
        return self.execute(instruction)

    def run(self, stop=()):
        """Executes until a branch depends on a variable, the function returns, or one of the addresses `stop` is reached again.

        Returns the branch's condition with both successors, or None after a return or at such an address.
        """
        while True:
            branch = self.step()
            if branch is not None:
                condition, target, following = branch
                if condition.op != "const":
                    taken, other = self.copy(), self.copy()
                    taken.pc, other.pc = target, following
                    return condition, taken, other
                self.pc = target if condition.constant else following
            if self.pc is None or self.pc in stop:
                return None
