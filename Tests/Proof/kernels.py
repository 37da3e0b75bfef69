"""The kernels, and the proof that a kernel's machine code computes SHA-256's compression function."""

import spec
import terms as T
from arm import Arm
from machine import Refused, Region
from x86 import X86


class Kernel:
    """A function of a kernel: the parts of its symbol, and how its arguments pass the states and the blocks.

    A function with the argument "outer", which is in vector registers, also absorbs the digest into this state of HMAC.
    """

    def __init__(self, name, symbol, arguments, lanes=1, processor=X86):
        self.name, self.symbol, self.arguments, self.lanes, self.processor = name, symbol, arguments, lanes, processor


COMPRESS, PAIR = ["state", "blocks", "count"], ["state", "blocks", "state", "blocks", "count"]
AUTHENTICATE = ["state", "outer", "blocks", "count"]

KERNELS = {
    "portable": [Kernel("compress", ("HubCryptoPortable", "compress"), COMPRESS)],
    "x86-sha": [
        Kernel("compress", ("HubCryptoX86SHA", "8compress__"), COMPRESS),
        Kernel("authenticate", ("HubCryptoX86SHA", "12authenticate__"), AUTHENTICATE),
        Kernel("compressPair", ("HubCryptoX86SHA", "12compressPair__"), PAIR),
    ],
    "avx512": [Kernel("compressLanes", ("HubCryptoAVX512", "13compressLanes__"), ["states", "pointers", "count"], lanes=16)],
    "arm-sha": [
        Kernel("compress", ("HubCryptoARMSHA", "8compress__"), COMPRESS, processor=Arm),
        Kernel("authenticate", ("HubCryptoARMSHA", "12authenticate__"), AUTHENTICATE, processor=Arm),
        Kernel("compressPair", ("HubCryptoARMSHA", "12compressPair__"), PAIR, processor=Arm),
    ],
}


def words(block):
    """Returns a block's words, which are big-endian numbers (§3.1)."""
    return [T.concat(block[4 * t:4 * t + 4][::-1]) for t in range(16)]


class Stream:
    """One message: its state, its next block, and the intermediate values of the specification."""

    def __init__(self, number):
        self.number = number
        self.hash = [T.variable(32, f"H{j}.{number}") for j in range(8)]
        self.block = [T.variable(8, f"byte{j}.{number}") for j in range(64)]
        self.address = T.variable(64, f"blocks.{number}")
        self.definitions = {}
        self.values = {}  # The variables by the words that they stand for.
        self.result = spec.compress(self.hash, words(self.block), self.let)

    def outer_hash(self, outer, digest, prefix):
        """Returns the outer state after a digest (FIPS 198-1 §4, step 9). The names of the values start with the prefix."""
        octets = [byte for word in digest for byte in T.split(word, 8)[::-1]]
        block = [T.const(8, x) if isinstance(x, int) else x for x in spec.padded(octets, (8 * (64 + 32)).to_bytes(8, "big"))]
        return spec.compress(outer, words(block), lambda name, word: self.let(prefix + name, word))

    def let(self, name, word):
        if word.op in ("const", "var"):
            return word
        if word not in self.values:
            self.values[word] = value = T.variable(32, f"{name}.{self.number}", word.shadow)
            self.definitions[value] = word
        return self.values[word]


class Proof:
    """The proof of one function: the obligations and the code that was executed."""

    def __init__(self, image, kernel):
        T.table.clear()
        self.kernel, self.code = kernel, lift(image, kernel)
        self.count = T.variable(64, "count")
        self.iteration = T.variable(64, "iteration")
        self.streams = [Stream(n) for n in range(kernel.lanes * max(1, kernel.arguments.count("state")))]
        # The states after the return, with blocks and without.
        self.ends = [s.result for s in self.streams], [s.hash for s in self.streams]
        if "outer" in kernel.arguments:
            self.outer = [T.variable(32, f"outer{j}") for j in range(8)]
            self.ends = [
                [s.outer_hash(self.outer, digest, prefix) for s, digest in zip(self.streams, digests)]
                for digests, prefix in zip(self.ends, ("outer ", "outer without blocks "))]
        self.definitions = {value: word for s in self.streams for value, word in s.definitions.items()}
        self.results = {h: r for s in self.streams for h, r in zip(s.hash, s.result)}
        self.varying = {value for s in self.streams for value in [*s.hash, *s.block]} | set(self.definitions)
        self.by_shadow = {value.shadow: value for value in self.definitions}
        self.obligations, self.known, self.replaced = [], set(), set()
        self.visited = set()
        self.missing = None  # The first intermediate value that the code does not compute, for a message.
        self.entry = self.enter(kernel.processor(image, self.code), min(self.code))
        self.constants = self.entry.constants
        self.prove()
        self.problems = [T.smt(*obligation) for obligation in self.obligations]

    # MARK: The function's arguments

    def enter(self, machine, address):
        """Returns the machine at the function's entry (System V ABI, which Swift's convention extends)."""
        machine.begin(address)
        streams = iter(self.streams)
        if "outer" in self.kernel.arguments:
            for j, word in enumerate(self.outer):
                machine.put((f"v{j // 4}", 32 * (j % 4), 32), word)
        for register, argument in zip(machine.ARGUMENTS, [a for a in self.kernel.arguments if a != "outer"]):
            value = machine.registers[register]
            if argument == "count":
                machine.registers[register] = self.count
            elif argument == "state":
                stream = next(streams)
                self.place_state(machine, value, [stream])
            elif argument == "states":
                self.place_state(machine, value, self.streams)
            elif argument == "blocks":
                machine.registers[register] = stream.address
                self.place_block(machine, stream)
            elif argument == "pointers":
                machine.regions.append(Region("pointers", value, 0, 8 * len(self.streams), False))
                for stream in self.streams:
                    machine.put(("pointers", 8 * stream.number, 64), stream.address)
                    self.place_block(machine, stream)
        return machine

    def place_state(self, machine, address, streams):
        name = f"state.{streams[0].number}"
        machine.regions.append(Region(name, address, 0, 32 * len(streams), True, 16))
        for n, stream in enumerate(streams):
            stream.state = (name, 32 * n)
            for j, word in enumerate(stream.hash):
                machine.put((name, 32 * n + 4 * j, 32), word)

    def place_block(self, machine, stream):
        name = f"blocks.{stream.number}"
        machine.regions.append(Region(name, stream.address, 0, 64, False))
        for j, byte in enumerate(stream.block):
            machine.put((name, j, 8), byte)

    # MARK: Cut points

    def cut(self, term):
        """Replaces a term by the specification's value with the same shadow. That both are equal must be proved."""
        value = self.by_shadow.get(term.shadow)
        if value is None:
            return term
        if term not in self.replaced:
            self.replaced.add(term)
            self.obligations.append((term, self.definition(value)))
            self.known.add(value)
        return value

    def definition(self, value):
        """Returns the specification's term of a value, in terms of values that the code has computed."""
        def expanded(term):
            if term in self.definitions and term not in self.known:
                return expanded(self.definitions[term])
            args = [expanded(a) if isinstance(a, T.Term) else a for a in term.args]
            return term if args == list(term.args) else T.build(term.op, term.width, *args)

        T.cut = None
        try:
            return expanded(self.definitions[value])
        finally:
            T.cut = self.cut

    def run(self, machine, stop=(), cuts=True):
        T.cut = self.cut if cuts else None
        try:
            branch = machine.run(stop)
        finally:
            T.cut = None
        if branch is not None and not T.variables(branch[0]) <= {self.count, self.iteration}:
            raise Refused(f"{machine.where()}: the branch does not depend on the number of blocks alone")
        return branch

    # MARK: The proof

    def prove(self):
        """Collects the obligations, by induction over the blocks.

        The hypothesis at the loop's head, with `iteration` blocks absorbed: the state's words H are in some registers and on
        the stack, and addresses and counters have advanced by a constant per block.
        """
        # Without blocks, none may be read.
        blocks = [region for region in self.entry.regions if region.name.startswith("blocks.")]
        self.entry.regions = [region for region in self.entry.regions if region not in blocks]
        branch = self.run(self.entry, cuts=False)
        if branch is None:
            raise Refused("the function has no loop over the blocks")
        condition, *successors = branch
        # Without blocks, the function returns and has absorbed none.
        empty, first = successors
        is_empty = condition
        ahead = empty.copy()
        if self.run(ahead, cuts=False) is not None:
            empty, first, is_empty = first, empty, T.not_(condition)
            ahead = empty.copy()
            if self.run(ahead, cuts=False) is not None:
                raise Refused("both branches of the entry lead to a loop")
        ahead = empty.copy()
        self.run(ahead)
        self.check_return(ahead, self.ends[1])
        without_blocks = list(self.obligations)
        count, zero = self.count, T.const(64, 0)
        # The blocks are in memory, so their number is far from overflow.
        in_range = T.ult(T.add(count, T.const(64, 1 << 57)), T.const(64, 1 << 58))
        entry = (is_empty, T.or_(T.sign(count), T.eq(count, zero)), in_range)

        first.regions += blocks
        # A trial run finds the loop's head and the state there, before and after one block. It proves nothing.
        trial = first.copy()
        trial.visited = []
        ends = [self.follow(end, set(end.visited)) for end in self.run_to_branch(trial)[1:]]
        heads = [end for end in ends if end.pc is not None]
        self.note_missing()
        if len(heads) != 1:
            raise Refused("the loop's head is not found")
        head = heads[0].pc
        before = first.copy()
        if before.pc != head:
            self.run(before, stop=(head,), cuts=False)
        if before.pc != head:
            raise Refused("the loop's head is not reached")
        hypothesis = {
            place: self.generalized(before.get(place), heads[0].get(place)) for place in self.places(before)}

        # The induction's step: one more block. Values that do not hold again are removed from the hypothesis.
        while True:
            self.obligations, self.known, self.replaced = [], set(), set()
            condition, *ends = self.run_to_branch(self.assume(before, hypothesis))
            ends = [self.follow(end, (head,)) for end in ends]
            self.note_missing()
            if (ends[0].pc == head) == (ends[1].pc == head):
                raise Refused("the branch does not lead to the loop's head")
            back, leave = sorted(ends, key=lambda end: end.pc != head)
            broken = [place for place, x in hypothesis.items() if not self.holds_again(x, back.get(place))]
            if not broken:
                break
            hypothesis.update((place, T.variable(place[2], "unused")) for place in broken)
        self.check_return(leave, self.ends[0])

        # With 0 ≤ iteration < count, the loop continues exactly if iteration + 1 < count.
        following = T.add(self.iteration, T.const(64, 1))
        within = T.and_(
            T.and_(in_range, T.not_(T.sign(count))),
            T.and_(T.ult(self.iteration, T.const(64, 1 << 57)), T.sign(T.subtract(self.iteration, count))))
        more = T.sign(T.subtract(following, count))
        continues = condition if back is ends[0] else T.not_(condition)
        self.obligations += [*without_blocks, entry, (continues, more, within)]
        self.visited |= {*ahead.visited, *before.visited, *back.visited, *leave.visited}

    def note_missing(self):
        self.missing = self.missing or next((v.args[0] for v in self.definitions if v not in self.known), None)

    def run_to_branch(self, machine):
        branch = self.run(machine)
        if branch is None:
            raise Refused("the function returns inside the loop")
        return branch

    def follow(self, machine, addresses):
        """Continues a run until one of the addresses, or until the function returns."""
        machine = machine.copy()
        if machine.pc not in addresses and self.run(machine, stop=addresses) is not None:
            raise Refused("a second loop follows")
        return machine

    def places(self, machine):
        """Yields the places that hold the state: name, offset, width."""
        for name, value in machine.registers.items():
            width = 64 if value.width == 64 and value.op != "concat" else 32
            yield from [(name, low, width) for low in range(0, value.width, width)]
        writable = {region.name for region in machine.regions if region.writable}
        for region, offset in sorted({(name, offset // 8 * 8) for name, offset in machine.memory if name in writable}):
            value = machine.stored(region, offset, 64)
            if value is None:
                yield from [(region, i, 8) for i in range(offset, offset + 8) if (region, i) in machine.memory]
            else:
                yield from [(region, i, 32) for i in (offset, offset + 4)] if value.op == "concat" else [(region, offset, 64)]

    def is_fixed(self, x):
        """Whether a value is the same for all blocks: it depends on no state and no message."""
        return self.varying.isdisjoint(T.variables(x))

    def generalized(self, x, y):
        """Returns a place's value after any number of blocks, given its values before and after the first."""
        if self.results.get(x) is y:
            return x
        if self.is_fixed(x):
            step = 0 if x is y else T.subtract(y, x).constant if x.width == 64 else None
            if step is not None:
                return T.multiply_add(self.iteration, step, x) if step else x
        return T.variable(x.width, "unused")

    def holds_again(self, x, y):
        """Whether a place's value one block later is the hypothesis for that block."""
        if self.results.get(x) is y or x.op == "var" and x.args[0] == "unused":
            return True
        step = T.linear(x)[1].get(self.iteration, 0) if x.width == 64 else 0
        return self.is_fixed(x) and (T.subtract(y, x).constant == step if x.width == 64 else x is y)

    def assume(self, machine, hypothesis):
        """Returns the machine at the loop's head after any number of blocks."""
        machine = machine.copy()
        machine.visited = []
        machine.flags = {}
        for place, value in hypothesis.items():
            machine.put(place, value)
        machine.regions = [region for region in machine.regions if not region.name.startswith("blocks.")]
        for stream in self.streams:
            origin = T.multiply_add(self.iteration, 64, stream.address)
            machine.regions.append(Region(f"blocks.{stream.number}", origin, 0, 64, False))
        return machine

    def check_return(self, machine, expected):
        """Checks the memory and the registers after the function has returned."""
        for stream, words in zip(self.streams, expected):
            region, offset = stream.state
            for j, word in enumerate(words):
                if machine.stored(region, offset + 4 * j, 32) is not word:
                    raise Refused(f"word {j} of message {stream.number}'s state is wrong; first value not found: {self.missing}")
        machine.check_returned()


def lift(image, kernel):
    """Returns the function's instructions by address."""
    _, address, size = image.find(*kernel.symbol)
    return kernel.processor.decode(bytes(image.read(address, size)), address)
