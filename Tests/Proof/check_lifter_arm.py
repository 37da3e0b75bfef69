"""Compares the lifted A64 instructions with qemu, and the decoder with llvm-objdump; see `check-lifter --help`.

Loads, stores, adrp and branches are not executed.
"""

import os
import subprocess
import tempfile

import terms as T
from arm import Arm

SIZE = 656
FLAGS = {"n": 31, "z": 30, "c": 29, "v": 28}
NOT_EXECUTED = {"ldr", "ldp", "str", "stp", "adrp", "b", "ret"}


def execute(instruction, contexts, tools):
    """Returns the contexts after the instruction."""
    code = int.from_bytes(instruction.bytes, "little")
    with tempfile.TemporaryDirectory() as folder:
        harness = os.path.join(os.path.dirname(os.path.realpath(__file__)), "harness_arm.s")
        thing, program = os.path.join(folder, "o"), os.path.join(folder, "program")
        subprocess.run(
            [f"{tools}/clang", "--target=aarch64-none-elf", "-c", "-Wa,-defsym,CODE=" + hex(code), "-o", thing, harness], check=True)
        subprocess.run([f"{tools}/ld.lld", "-o", program, thing], check=True)
        output = subprocess.run(
            ["qemu-aarch64", "-cpu", "max", program], input=b"".join(contexts), capture_output=True, check=True).stdout
    return [output[at:at + SIZE] for at in range(0, len(output), SIZE)]


def check(instruction, samples, source, tools):
    """Returns a description of a difference, or None."""
    T.samples = samples
    T.table.clear()
    contexts = []
    for _ in range(samples):
        context = bytearray(source.randbytes(SIZE))
        context[128:144] = (int.from_bytes(context[128:132], "little") & 0xF0000000).to_bytes(16, "little")
        contexts.append(context)
    positions = {f"x{n}": (8 * n, 8) for n in range(16)} | {f"v{n}": (144 + 16 * n, 16) for n in range(32)}

    def column(at, count):
        return tuple(int.from_bytes(c[at:at + count], "little") for c in contexts)

    machine = Arm(None, {instruction.address: instruction})
    machine.pc, machine.visited = instruction.address, [instruction.address]
    machine.registers = {name: T.variable(8 * count, name, column(at, count)) for name, (at, count) in positions.items()}
    before = dict(machine.registers)
    words = column(128, 8)
    flags = {name: T.variable(1, name, tuple(w >> bit & 1 for w in words)) for name, bit in FLAGS.items()}
    machine.flags = {name: lambda value=value: value for name, value in flags.items()}
    machine.execute(instruction)

    outputs = execute(instruction, contexts, tools)
    for name, value in machine.registers.items():
        if value is not before[name]:
            at, count = positions[name]
            for context, number in zip(contexts, value.shadow):
                context[at:at + count] = number.to_bytes(count, "little")
    for name, function in machine.flags.items():
        for context, bit in zip(contexts, function().shadow):
            word = int.from_bytes(context[128:136], "little") & ~(1 << FLAGS[name]) | bit << FLAGS[name]
            context[128:136] = word.to_bytes(8, "little")
    return None if [bytes(c) for c in contexts] == outputs else "a register or a flag differs"
