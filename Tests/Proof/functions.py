"""The functions around the compression function, with their specifications: padding, HMAC and the comparison of codes."""

import spec
import terms as T
from machine import Refused
from program import Message, Null, Program


def lengths(most):
    """Returns the cases of a message: null, each length up to `most` without whole blocks, and each greater length modulo 64."""
    without_blocks = [(n, None) for n in range(most + 1)]
    with_blocks = [(n, 1 if 64 + n > most else 2) for n in range(64)]
    return [Null, *(lambda case=case: Message(*case) for case in without_blocks + with_blocks)]


def big_endian(words):
    return [byte for word in words for byte in T.split(word, 8)[::-1]]


def require_bytes(program, expected):
    """Requires that the function has returned 32 bytes."""
    actual = [T.extract(program.registers[name], low, 32) for name in ("v0", "v1") for low in range(0, 128, 32)]
    for n, x in enumerate(actual):
        program.require(x, T.concat(expected[4 * n:4 * n + 4]))


def require_boolean(program, expected):
    """Requires that the function has returned a truth value."""
    program.require(T.extract(program.registers["rax"], 0, 8), T.zero_extend(expected, 8))


def argument(program, *names):
    """Returns the argument in vector registers."""
    return T.concat([T.extract(program.arguments[name], 0, 128) for name in names])


class Function:
    """A function: its name and symbol, and the cases of its arguments.

    `enter` passes the arguments of a case to a program, and `check` requires what the specification says after the return.
    """

    def enter(program, message):
        """Passes a message."""
        program.pass_message(message())


class Hash(Function):
    name = "SHA256.hash"
    symbol = "$s9HubCrypto6SHA256V4hash13bufferPointerAC6DigestVSW_tFZ"
    cases = lengths(63)

    def check(program):
        require_bytes(program, big_endian(program.hash(spec.H0)))


class KeyObject:
    """The offsets of a key's hash values after K₀ ⊕ ipad and K₀ ⊕ opad, and of its choice of kernels."""
    states, kernel = (0x10, 0x30), 0x50


class Key(Function):
    name = "HMAC.Key.init"
    symbol = "$s9HubCrypto4HMACV3KeyV13bufferPointerAESW_tcfC"
    cases = lengths(64)

    def check(program):
        """The object holds both hash values and the choice of kernels. The function's stack holds no secret."""
        def load(offset, width):
            return program.load(T.add(program.registers["rax"], T.const(64, offset)), width)

        key = program.message
        data = key.rest if key.least is None else big_endian(program.hash(spec.H0))
        for offset, pad in zip(KeyObject.states, spec.key_pads(spec.key_block(data))):
            for j, x in enumerate(program.compression(spec.H0, pad)):
                program.require(load(offset + 4 * j, 32), x)
        kernel, has_lanes = (program.memory["kernels", n] for n in (0, 1))
        program.require(load(KeyObject.kernel, 8), kernel)
        program.require(load(KeyObject.kernel + 1, 8), has_lanes & T.const(8, 1))

        secrets = {byte for (name, _), byte in program.memory.items() if name == "message"}
        for hash_, block, result in program.compressions:
            if block == [key] or any(not secrets.isdisjoint(T.variables(x)) for x in hash_ + block):
                secrets |= set(result)
        rest = [value for (name, _), value in program.memory.items() if name in ("stack", "frame")] + program.abandoned
        if any(not secrets.isdisjoint(T.variables(value)) for value in rest):
            raise Refused("the stack holds a secret")


class Code(Function):
    name = "HMAC.Key.authenticationCode"
    symbol = "$s9HubCrypto4HMACV3KeyV18authenticationCode13bufferPointerAC014AuthenticationF0VSW_tF"
    cases = lengths(119)

    def enter(program, message):
        Function.enter(program, message)
        program.states = [[T.variable(32, f"{name}{j}") for j in range(8)] for name in ("inner", "outer")]
        content = [T.variable(8, f"header{n}") for n in range(KeyObject.states[0])]
        content += [byte for state in program.states for word in state for byte in T.split(word, 8)]
        program.place("key", program.registers["rdx"], content + program.process_bytes("kernel", 1), alignment=16)

    def check(program):
        inner, outer = program.states
        digest = big_endian(program.hash(inner, preceding=64))
        length = (8 * (64 + len(digest))).to_bytes(8, "big")
        require_bytes(program, big_endian(program.compression(outer, spec.padded(digest, length))))


class Equality(Function):
    name = "ConstantTime.areEqual"
    symbol = "$s9HubCrypto12ConstantTimeO8areEqualySbs5SIMD8Vys6UInt32VG_AItFZTf4nnd_n"
    cases = [None]

    def enter(program, case):
        pass

    def check(program):
        require_boolean(program, T.eq(argument(program, "v0", "v1"), argument(program, "v2", "v3")))


class ReceivedCode(Function):
    """The comparison of a code with one that was received, of which the length must be the expected number of bytes."""
    name = "BigEndianWords.begins"
    symbol = "$s9HubCrypto14BigEndianWordsV6begins4with9byteCountSbSW_SitF"
    cases = [*range(1, 33), "another length", "null"]

    def enter(program, case):
        if isinstance(case, int):
            program.pass_message(Message(case))
            program.registers["rdx"] = T.const(64, case)
            return
        program.pass_message(Null() if case == "null" else Message(0))
        expected, count = program.registers["rdx"], T.const(64, 0)
        if case != "null":
            count = T.variable(64, "count")
            program.registers["rsi"] = T.add(program.message.start, count)
        program.public |= {expected} | T.variables(count)
        program.assume(T.not_(T.eq(expected, count)))

    def check(program):
        received, is_equal = program.message.rest, T.const(1, 0)
        if received:
            code = T.extract(argument(program, "v0", "v1"), 0, 8 * len(received))
            is_equal = T.eq(code, T.concat(received))
        require_boolean(program, is_equal)


FUNCTIONS = {"comparison": [Equality, ReceivedCode], "padding": [Hash], "hmac": [Key, Code]}


class Proof:
    """The proof of a function in all cases."""

    def __init__(self, image, function):
        self.code, self.constants, self.visited, self.problems = {}, {}, set(), []
        effects = Program.opaque_functions(image)
        for case in function.cases:
            T.table.clear()
            program = Program(image, self.code, effects)
            program.constants = self.constants
            program.call(function.symbol)
            function.enter(program, case)
            for end in program.outcomes():
                function.check(end)
                self.visited |= set(end.visited)
                self.problems += [T.smt(*obligation) for obligation in end.obligations]
