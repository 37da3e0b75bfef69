"""Changes the machine code that is proved, and checks that the proof refuses each change; see `mutants --help`."""

import argparse
import collections
import copy
import os
import random
import signal
import sys

from capstone import arm64, x86

import native
import solvers
from arm import Arm
from image import Image
from machine import Machine, Refused
from kernels import KERNELS
from prove import SUBJECTS, cpu_seconds, prove
from x86 import X86

ROTATIONS = {"rol", "vprold", "psrld", "pslld", "vpsrld"}
SHUFFLES = {"pshufd", "shufps", "pshuflw", "pshufhw", "palignr", "pslldq", "psrldq", "vinserti128", "vinserti32x4", "vinserti64x4",
            "vextracti32x4", "vpternlogd"}
AARCH64 = 183  # The machine of the ELF header.


class TimeLimit(Exception):
    pass


def mutate_a64(kind, image, instruction, source):
    """Returns changes of an A64 instruction, whose registers are in bits 0 to 4, 5 to 9 and 16 to 20."""
    start, word = image.offset(instruction.address, 4), int.from_bytes(instruction.bytes, "little")
    registers = sum(o.type == arm64.ARM64_OP_REG for o in instruction.operands)
    if kind == "register" and registers:
        word ^= 1 << source.choice([0, 5, 16][:registers]) + source.randrange(5)
    elif kind == "order" and registers == 3:
        word = word & ~(31 << 5 | 31 << 16) | (word >> 5 & 31) << 16 | (word >> 16 & 31) << 5
    elif kind == "displacement" and instruction.mnemonic[:2] in ("ld", "st"):
        word ^= 1 << source.randrange(10, 22)
    elif kind == "dropped":
        word = 0xD503201F
    else:
        return None
    return {start + n: byte for n, byte in enumerate(word.to_bytes(4, "little"))}


def mutate(kind, image, instruction, constants, source):
    """Returns changes of bytes as offsets in the file and values, or None if the kind does not apply."""
    if kind == "constant" and constants:
        offset = image.offset(source.choice(sorted(constants)), 1)
        return {offset: image.data[offset] ^ 1 << source.randrange(8)}
    if image.machine == AARCH64:
        return mutate_a64(kind, image, instruction, source)
    i, start = instruction, image.offset(instruction.address, instruction.size)
    data = bytes(i.bytes)
    registers = [o for o in i.operands if o.type == x86.X86_OP_REG]
    at = i.imm_offset if i.operands and i.operands[-1].type == x86.X86_OP_IMM else 0
    modrm = i.encoding.modrm_offset
    flipped = None
    if kind == "rotation" and i.mnemonic in ROTATIONS and at:
        flipped = (at, 1 << source.randrange(5))
    if kind == "shuffle" and i.mnemonic in SHUFFLES and at:
        flipped = (at, 1 << source.randrange(8))
    if kind == "immediate" and at and i.mnemonic not in ROTATIONS | SHUFFLES and i.mnemonic[0] != "j":
        flipped = (at, 1 << source.randrange(8))
    if kind == "register" and modrm and registers:
        # Bits 3 to 5 are a register, bits 0 to 2 another or the base of an address.
        flipped = (modrm, 1 << source.randrange(6))
    if kind == "displacement" and i.encoding.disp_offset:
        flipped = (i.encoding.disp_offset, 1 << source.randrange(8))
    if flipped:
        return {start + flipped[0]: data[flipped[0]] ^ flipped[1]}
    if kind == "order" and modrm and len(registers) > 1 and data[modrm] >> 6 == 3:
        return {start + modrm: 0xC0 | (data[modrm] & 7) << 3 | data[modrm] >> 3 & 7}
    if kind == "dropped":
        return {start + n: 0x90 for n in range(i.size)}
    return None


KINDS = ["constant", "rotation", "shuffle", "immediate", "register", "displacement", "order", "dropped"]


def mutants(image, proof, source):
    """Yields descriptions and changed images, without end."""
    code = proof.code
    executed = [code[address] for address in sorted(proof.visited) if code[address].mnemonic != "nop"]
    seen = set()
    while True:
        kind, instruction = source.choice(KINDS), source.choice(executed)
        changes = mutate(kind, image, instruction, proof.constants, source)
        if not changes or all(image.data[offset] == value for offset, value in changes.items()):
            continue
        changed = copy.copy(image)
        changed.data = bytearray(image.data)
        for offset, value in changes.items():
            changed.data[offset] = value
        decoder = (Arm if image.machine == AARCH64 else X86).decoder
        after = next(decoder.disasm(bytes(changed.read(instruction.address, instruction.size)), instruction.address), None)
        text = f"{instruction.address:#x}: {instruction.mnemonic} {instruction.op_str}"
        new = f"{after.mnemonic} {after.op_str}" if after else "an invalid instruction"
        if kind == "constant":
            offset, value = next(iter(changes.items()))
            text, new = f"the constant at {offset:#x} in the file", f"{image.data[offset]:#x} to {value:#x}"
        elif f"{instruction.mnemonic} {instruction.op_str}" == new or after and after.size != instruction.size and kind != "dropped":
            continue
        if (text, new) not in seen:
            seen.add((text, new))
            yield f"{kind}: {text} → {new}", changed


def main():
    parser = argparse.ArgumentParser(
        prog="mutants",
        description="Changes the machine code, one instruction or constant at a time, and tries to prove each result. "
        "A mutant that is proved must be equivalent, and is printed. Mutants of x86-64 kernels that are proved also run on the "
        "processor, with random inputs. The exit status is 0 if at least 98 %% of the others are refused.")
    parser.add_argument("subjects", metavar="SUBJECT", nargs="*", help=f"{', '.join(SUBJECTS)} (default: all but arm-sha)")
    parser.add_argument("--count", type=int, default=200, help="mutants for each function (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=20, help="the time limit for each mutant (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=100, help="runs of a proved mutant (default: %(default)s)")
    parser.add_argument("--arm-program", help="the linked program with the kernel arm-sha")
    parser.add_argument("--program", default=".build/release/sas", help="the linked program (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="for the choice of mutants")
    arguments = parser.parse_args()

    def expire(*_):
        raise TimeLimit

    signal.signal(signal.SIGALRM, expire)
    Machine.limit, solvers.seconds = 10_000, 5
    solver, failed = solvers.Z3(), False
    print(f"seed: {arguments.seed}")
    for name in arguments.subjects or [name for name in SUBJECTS if name != "arm-sha"]:
        image = Image(arguments.arm_program if name == "arm-sha" else arguments.program)
        runs_here = name in KERNELS and name != "arm-sha"
        for kernel in SUBJECTS[name]:
            source, start = random.Random(arguments.seed), cpu_seconds()
            proof = prove(image, kernel, solver)
            results = collections.Counter()
            for number, (description, changed) in enumerate(mutants(image, proof, source)):
                if number == arguments.count:
                    break
                signal.alarm(arguments.seconds)
                try:
                    prove(changed, kernel, solver)
                    signal.alarm(0)
                    is_wrong = runs_here and not native.agrees(changed, kernel, arguments.runs, source)
                    result = "wrongly proved" if is_wrong else "equivalent" if runs_here else "proved"
                    results[result] += 1
                    print(f"  {result}: {description}", flush=True)
                except TimeLimit:
                    results["time limit"] += 1
                    print(f"  time limit: {description}", flush=True)
                except Refused:
                    results["refused"] += 1
                except Exception:
                    results["refused"] += 1  # The instruction has operands that the lifter does not know.
                finally:
                    signal.alarm(0)
            equivalent = results["equivalent"] + results["proved"]
            share = results["refused"] / (arguments.count - equivalent)
            failed |= share < 0.98 or results["wrongly proved"] > 0
            print(
                f"{name} {kernel.name}: {arguments.count} mutants: {results['refused']} refused ({share:.1%} of those that are not "
                f"equivalent), {results['equivalent']} equivalent, {results['proved']} proved and not run, {results['wrongly proved']} wrongly proved, "
                f"{results['time limit']} exceeded the time limit, {cpu_seconds() - start:.0f} s of CPU", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
