"""Changes the kernels' machine code, and checks that the proof refuses each change; see `mutants --help`."""

import argparse
import collections
import copy
import os
import random
import signal
import sys

from capstone import x86

import native
import solvers
from image import Image
from machine import Machine, Refused
from prove import KERNELS, cpu_seconds, lift, prove
from x86 import decoder

ROTATIONS = {"rol", "vprold", "psrld", "pslld", "vpsrld"}
SHUFFLES = {"pshufd", "shufps", "pshuflw", "pshufhw", "palignr", "pslldq", "psrldq", "vinserti128", "vinserti32x4", "vinserti64x4",
            "vextracti32x4", "vpternlogd"}


X86_KERNELS = ["portable", "x86-sha", "avx512"]


class TimeLimit(Exception):
    pass


def mutate(kind, image, instruction, constants, source):
    """Returns changes of bytes as offsets in the file and values, or None if the kind does not apply."""
    i, start = instruction, image.offset(instruction.address, instruction.size)
    data = bytes(i.bytes)
    registers = [o for o in i.operands if o.type == x86.X86_OP_REG]
    at = i.imm_offset if i.operands and i.operands[-1].type == x86.X86_OP_IMM else 0
    modrm = i.encoding.modrm_offset
    flipped = None
    if kind == "constant" and constants:
        address = source.choice(sorted(constants))
        offset = image.offset(address, 1)
        return {offset: image.data[offset] ^ 1 << source.randrange(8)}
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


def mutants(image, kernel, proof, source):
    """Yields a description, the changed image and its code, without end."""
    code = lift(image, kernel)
    executed = [code[address] for address in sorted(proof.visited) if code[address].mnemonic != "nop"]
    seen = set()
    while True:
        kind, instruction = source.choice(KINDS), source.choice(executed)
        changes = mutate(kind, image, instruction, proof.entry.constants, source)
        if not changes or all(image.data[offset] == value for offset, value in changes.items()):
            continue
        changed = copy.copy(image)
        changed.data = bytearray(image.data)
        for offset, value in changes.items():
            changed.data[offset] = value
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
        description="Changes the machine code of kernels, one instruction or constant at a time, and tries to prove each result. "
        "A mutant that is proved must be equivalent: it also runs on the processor, with random inputs, and is printed. "
        "The exit status is 0 if at least 98 %% of the others are refused.")
    parser.add_argument("kernels", metavar="KERNEL", nargs="*", help=f"{', '.join(X86_KERNELS)} (default: all)")
    parser.add_argument("--count", type=int, default=200, help="mutants for each function (default: %(default)s)")
    parser.add_argument("--seconds", type=int, default=20, help="the time limit for each mutant (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=100, help="runs of a proved mutant (default: %(default)s)")
    parser.add_argument("--program", default=".build/release/sas", help="the linked program (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)), help="for the choice of mutants")
    arguments = parser.parse_args()

    def expire(*_):
        raise TimeLimit

    signal.signal(signal.SIGALRM, expire)
    Machine.limit, solvers.seconds = 10_000, 5
    image, solver, failed = Image(arguments.program), solvers.Z3(), False
    print(f"seed: {arguments.seed}")
    for name in arguments.kernels or X86_KERNELS:
        for kernel in KERNELS[name]:
            source, start = random.Random(arguments.seed), cpu_seconds()
            proof, _ = prove(image, kernel, solver)
            results = collections.Counter()
            for number, (description, changed) in enumerate(mutants(image, kernel, proof, source)):
                if number == arguments.count:
                    break
                signal.alarm(arguments.seconds)
                try:
                    prove(changed, kernel, solver)
                    signal.alarm(0)
                    result = "equivalent" if native.agrees(changed, kernel, arguments.runs, source) else "wrongly proved"
                    results[result] += 1
                    print(f"  {result}: {description}", flush=True)
                except TimeLimit:
                    results["time limit"] += 1
                    print(f"  time limit: {description}", flush=True)
                except Refused:
                    results["refused"] += 1
                except (AttributeError, IndexError, KeyError, TypeError, ValueError):
                    results["refused"] += 1  # The instruction has operands that the lifter does not know.
                finally:
                    signal.alarm(0)
            share = results["refused"] / (arguments.count - results["equivalent"])
            failed |= share < 0.98 or results["wrongly proved"] > 0
            print(
                f"{name} {kernel.name}: {arguments.count} mutants: {results['refused']} refused ({share:.1%} of those that are not "
                f"equivalent), {results['equivalent']} equivalent, {results['wrongly proved']} wrongly proved, "
                f"{results['time limit']} exceeded the time limit, {cpu_seconds() - start:.0f} s of CPU", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
