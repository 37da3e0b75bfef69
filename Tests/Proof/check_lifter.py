"""Compares each lifted instruction with the processor, and the decoder with llvm-objdump; see `check-lifter --help`."""

import argparse
import ctypes
import mmap
import os
import random
import re
import subprocess
import sys

import check_lifter_arm
import terms as T
from capstone import x86
from image import Image
from functions import FUNCTIONS
from kernels import KERNELS, lift
from program import INITIAL_HASH, Program
from x86 import GENERAL, X86

SIZE = 2304                      # of a context; see harness.s
FLAGS = {"cf": 0, "zf": 6, "sf": 7, "of": 11}
CONTROL = {"ret", "jmp", "call", "ud2"}  # These are only followed.


class Harness:
    """The code of harness.s in the middle of a region that instructions may address relative to rip."""

    def __init__(self, image):
        self.region = mmap.mmap(-1, 1 << 25, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.region))
        start, self.hole, self.finish = (image.symbols[name][0] for name in ("start", "hole", "finish"))
        _, text = image.section(".text")
        self.code = 1 << 24
        self.region[self.code:self.code + len(text)] = text
        self.data = 1 << 20
        self.context = self.data + 4096
        self.call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.base + self.code + start)

    def place(self, *parts, like):
        """Writes code to the hole, each part followed by a jump to the end of the harness, and returns its address.

        The address has the same remainder modulo 64 as `like`, so that operands relative to rip are aligned.
        """
        at = self.code + self.hole
        padding = (like - self.base - at) % 64
        self.region[at:at + padding] = b"\x90" * padding
        end = at + padding
        for part in parts:
            jump = (self.code + self.finish - end - len(part) - 5).to_bytes(4, "little", signed=True)
            self.region[end:end + len(part) + 5] = part + b"\xe9" + jump
            end += len(part) + 5
        return self.base + at + padding

    def run(self, context, data):
        """Returns the context and the 128 bytes of memory after execution."""
        self.region[self.context:self.context + SIZE] = context
        self.region[self.data - 64:self.data + 64] = data
        self.call(self.base + self.context)
        return self.region[self.context:self.context + SIZE], self.region[self.data - 64:self.data + 64]


class Registers(dict):
    """Registers that become variables when they are first used; their values are those of the contexts."""

    def __init__(self, contexts):
        super().__init__()
        self.contexts, self.before = contexts, {}

    def position(self, name):
        if name in GENERAL:
            return 8 * GENERAL.index(name), 8
        if name[0] == "k":
            return 136 + 8 * int(name[1:]), 8
        return 256 + 64 * int(name[1:]), 64

    def __missing__(self, name):
        at, count = self.position(name)
        shadow = tuple(int.from_bytes(c[at:at + count], "little") for c in self.contexts)
        if len(set(shadow)) == 1:
            value = T.const(8 * count, shadow[0])  # An address.
        else:
            value = T.variable(8 * count, name, shadow)
        self[name] = self.before[name] = value
        return value


class Probe(X86):
    """A machine whose memory is the 128 bytes of the harness."""

    def load(self, address, width):
        offset = address.constant - self.data
        return T.extract(self.initial, 8 * (64 + offset), width)

    def store(self, address, value):
        self.stores.append((64 + address.constant - self.data, value))


def form(instruction):
    """The instruction's mnemonic and the kinds of its operands."""
    kinds = []
    for operand in instruction.operands:
        value = operand.imm if operand.type == x86.X86_OP_IMM and instruction.mnemonic[0] != "j" else None
        kinds.append((operand.type, operand.size, value if operand.size == 1 or value in (None, 0) else "immediate"))
    return instruction.mnemonic, *kinds, "{1to" in instruction.op_str, "{k" in instruction.op_str


def retarget(instruction):
    """Returns the code of a branch that skips a jump; see `check`."""
    return bytes([0x70 | instruction.bytes[-5] & 15 if instruction.bytes[0] == 0x0F else instruction.bytes[0], 5])


def check(harness, instruction, samples, source):
    """Compares the lifted instruction with the processor on random operands. Returns a description of a difference."""
    T.samples = samples
    T.table.clear()
    is_branch = instruction.mnemonic[0] == "j"
    code = retarget(instruction) if is_branch else bytes(instruction.bytes)
    # A branch skips the jump to the end, and reaches an instruction that complements r15.
    parts = [code, b"\x49\xf7\xd7"] if is_branch else [code]
    address = harness.place(*parts, like=instruction.address)
    lifted = X86.decode(code, address)[address]
    harness.data = 1 << 20
    data_address = harness.base + harness.data

    contexts = []
    for _ in range(samples):
        context = bytearray(source.randbytes(SIZE))
        context[128:136] = (0x202 | int.from_bytes(context[128:136], "little") & 0x8D5).to_bytes(8, "little")
        contexts.append(context)
    fixed = {}
    if lifted.mnemonic in ("push", "pop"):
        fixed["rsp"] = data_address
    for operand in lifted.operands:
        if operand.type == x86.X86_OP_MEM and lifted.mnemonic not in ("lea", "nop"):
            base, index = (lifted.reg_name(r) if r else None for r in (operand.mem.base, operand.mem.index))
            target = data_address - operand.mem.disp
            if index:
                fixed[index] = 64
                target -= 64 * operand.mem.scale
            if base == "rip":
                harness.data = address + lifted.size + operand.mem.disp - harness.base
                data_address = harness.base + harness.data
            else:
                fixed[base] = target
    if lifted.mnemonic in ("shl", "shr", "shld") and lifted.operands[-1].type == x86.X86_OP_REG:
        fixed["rcx"] = source.getrandbits(64)
    registers = Registers(contexts)
    for name, value in fixed.items():
        at, count = registers.position(name)
        for context in contexts:
            context[at:at + count] = (value & T.mask(64)).to_bytes(8, "little")
    memories = [source.randbytes(128) for _ in range(samples)]

    machine = Probe(None, {address: lifted})
    machine.pc, machine.registers, machine.visited = address, registers, [address]
    machine.data, machine.stores = data_address, []
    machine.initial = T.variable(1024, "memory", tuple(int.from_bytes(m, "little") for m in memories))
    words = [int.from_bytes(c[128:136], "little") for c in contexts]
    flags = {name: T.variable(1, name, tuple(w >> bit & 1 for w in words)) for name, bit in FLAGS.items()}
    machine.flags = {name: lambda value=value: value for name, value in flags.items()}
    branch = machine.execute(lifted)

    outputs = [harness.run(bytes(c), m) for c, m in zip(contexts, memories)]
    if is_branch:
        taken = tuple(int(after[120:128] != before[120:128]) for (after, _), before in zip(outputs, contexts))
        return None if branch[0].shadow == taken else "the condition differs"
    for name, value in registers.items():
        if value is not registers.before.get(name):
            at, count = registers.position(name)
            for context, number in zip(contexts, value.shadow):
                context[at:at + count] = number.to_bytes(count, "little")
    expected = [bytearray(m) for m in memories]
    for at, value in machine.stores:
        for memory, number in zip(expected, value.shadow):
            memory[at:at + value.width // 8] = number.to_bytes(value.width // 8, "little")
    for context, memory, (after, after_memory) in zip(contexts, expected, outputs):
        if after[:128] != context[:128] or after[136:] != context[136:]:
            return "a register differs"
        if after_memory != memory:
            return "the memory differs"
    for name, function in machine.flags.items():
        values = tuple(int.from_bytes(after[128:136], "little") >> FLAGS[name] & 1 for after, _ in outputs)
        if function().shadow != values:
            return f"the flag {name} differs"
    return None


def normalized(text):
    """Returns an instruction's text without the differences between the two disassemblers."""
    text = re.sub(r"\s*(<|//|# ).*", "", text.strip().lower()).replace("#", "")
    text = re.sub(r"0x[0-9a-f]+|\b\d+\b", lambda m: str(int(m[0], 0)), text)
    text = re.sub(r"(?<![\w*])(\d)\*(\w+)", r"\2*\1", text)
    return re.sub(r"\s+", " ", text).replace(" {", "{")


def compare_decoder(program, image, name, code, objdump):
    """Compares the decoded instructions with those of llvm-objdump. Prints the result and returns the number of differences."""
    size = image.symbols[name][1]
    option = "--mattr=+sha2" if "ARM" in name else "--x86-asm-syntax=intel"
    output = subprocess.run(
        [objdump, "-d", "--no-show-raw-insn", option, f"--disassemble-symbols={name}", program],
        capture_output=True, text=True, check=True).stdout
    other = {int(m[1], 16): normalized(m[2]) for m in re.finditer(r"^ *([0-9a-f]+):\s+(.*)$", output, re.MULTILINE)}
    differences = [
        f"{i.mnemonic} {i.op_str} | {other.get(i.address)}" for i in code.values() if other.get(i.address) not in spellings(i)]
    missing = [at for at in other if min(code) <= at < min(code) + size and at not in code]
    differences += [f"not decoded: {at:#x} {other[at]}" for at in missing]
    print(f"{name}: llvm-objdump decodes {len(differences)} of {len(code)} instructions otherwise")
    for difference in differences[:5]:
        print(f"  {difference}")
    return len(differences)


def spellings(instruction):
    """Returns the texts for the instruction: llvm-objdump writes some immediates with a sign."""
    text = f"{instruction.mnemonic} {instruction.op_str}"
    last = instruction.operands[-1] if instruction.operands else None
    texts = {normalized(text)}
    if isinstance(last, x86.X86Op) and last.type == x86.X86_OP_IMM:
        value = T.signed(last.imm & T.mask(8 * last.size), 8 * last.size)
        texts.add(normalized(f"{text.rpartition(' ')[0]} {value}"))
    return texts


def functions(image):
    """Returns the instructions of each function for which there is a proof, and of those that it calls, by the symbol's name."""
    result = {image.find(*k.symbol)[0]: lift(image, k) for group in KERNELS.values() for k in group if k.processor is X86}
    opaque, names = Program.opaque_functions(image), {v: name for name, v in image.symbols.items()}
    pending = [INITIAL_HASH + "_WZ", *(f.symbol for group in FUNCTIONS.values() for f in group)]
    while pending:
        name = pending.pop()
        if name not in result:
            result[name] = code = Program.lift(image, image.address(name))
            targets = {i.operands[0].imm for i in code.values() if i.mnemonic in ("call", "jmp") and i.operands[0].type == x86.X86_OP_IMM}
            pending += [names[v] for target in targets - set(opaque) if (v := image.function(target))]
    return result


def main():
    parser = argparse.ArgumentParser(
        prog="check-lifter",
        description="Checks the instructions of the kernels: each form of instruction with random operands against the processor, "
        "each instruction again with 32, and the decoder against llvm-objdump. The exit status is 0 if nothing differs, 1 if something "
        "does, and 77 if nothing does but the processor lacks AVX-512, which the harness uses: then only A64 is executed.")
    parser.add_argument("--samples", type=int, default=10_000, help="operands for each form (default: %(default)s)")
    parser.add_argument("--program", default=".build/release/sas", help="the linked program (default: %(default)s)")
    parser.add_argument("--harness", required=True, help="the object of harness.s")
    parser.add_argument("--tools", required=True, help="the folder of clang and llvm-objdump")
    parser.add_argument("--arm-program", help="the linked program with the kernel arm-sha, whose instructions run under qemu")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="for the random operands")
    arguments = parser.parse_args()

    image, source, failures = Image(arguments.program), random.Random(arguments.seed), 0
    has_avx512 = "avx512bw" in open("/proc/cpuinfo").read()
    harness = Harness(Image(arguments.harness)) if has_avx512 else None
    objdump = f"{arguments.tools}/llvm-objdump"
    forms, encodings = {}, {}
    for name, code in functions(image).items():
        failures += compare_decoder(arguments.program, image, name, code, objdump)
        for i in code.values():
            if i.mnemonic not in CONTROL and "fs:" not in i.op_str:
                forms.setdefault(form(i), i)
                encodings.setdefault(bytes(i.bytes), i)

    def compare(name, instructions, samples, check):
        problems = [(i, problem) for i in instructions.values() if (problem := check(i, samples, source))]
        for i, problem in problems:
            print(f"{i.mnemonic} {i.op_str}: {problem}")
        print(f"{len(instructions)} {name} with {samples} random operands each: {len(problems)} are executed differently", flush=True)
        return len(problems)

    if harness:
        failures += compare("forms of instructions", forms, arguments.samples, lambda *v: check(harness, *v))
        failures += compare("instructions", encodings, 32, lambda *v: check(harness, *v))
    else:
        print("instructions of x86-64 are not executed: the processor lacks AVX-512", flush=True)
    if arguments.arm_program:
        image, code = Image(arguments.arm_program), []
        for kernel in KERNELS["arm-sha"]:
            lifted = lift(image, kernel)
            failures += compare_decoder(arguments.arm_program, image, image.find(*kernel.symbol)[0], lifted, objdump)
            # The harness cannot change the stack pointer.
            code += [
                i for i in lifted.values() if i.mnemonic.split(".")[0] not in check_lifter_arm.NOT_EXECUTED and "sp" not in i.op_str]
        forms = {(i.mnemonic, *(o.type for o in i.operands)): i for i in code}
        encodings = {bytes(i.bytes): i for i in code}
        failures += compare(
            "forms of A64 instructions", forms, arguments.samples, lambda *v: check_lifter_arm.check(*v, arguments.tools))
        failures += compare("A64 instructions", encodings, 32, lambda *v: check_lifter_arm.check(*v, arguments.tools))
    print(f"seed: {arguments.seed}")
    sys.exit(1 if failures else 0 if harness else 77)


if __name__ == "__main__":
    main()
