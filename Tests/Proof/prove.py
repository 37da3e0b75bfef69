"""Proves SHA-256, HMAC and the comparison of codes from their machine code; see `prove --help`."""

import argparse
import resource
import sys

import functions
import kernels
import solvers
import spec
from image import Image
from machine import Refused

SUBJECTS = {**kernels.KERNELS, **functions.FUNCTIONS}
VECTORS = [f"Fixtures/crypto/{name}.vectors" for name in ("sha256-cavp", "sha256-fips", "hmac-sha256-rfc4231")]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def prove(image, subject, solver):
    """Proves one function, or raises Refused. Returns the proof."""
    proof = (kernels if isinstance(subject, kernels.Kernel) else functions).Proof(image, subject)
    for problem in proof.problems:
        if not solver.proves(problem):
            raise Refused(f"not proved: {problem!r:.200}")
    return proof


def check_stripped(stripped, proof):
    """Checks that stripping changed neither the executed code nor the constants that it reads."""
    expected = {address: bytes(proof.code[address].bytes) for address in proof.visited}
    expected |= {address: bytes([byte]) for address, byte in proof.constants.items()}
    if any(stripped.read(address, len(data)) != data for address, data in expected.items()):
        raise Refused("stripping changes the code or the constants")


def main():
    parser = argparse.ArgumentParser(
        prog="prove",
        description="Proves from the machine code of a release build, for all values of the arguments: the kernels compute FIPS 180-4's "
        "compression function for any number of blocks; messages are padded as in FIPS 180-4; HMAC is that of FIPS 198-1; and the "
        "comparison of codes is correct. No branch and no address depends on a message, a key or a code. Prints a line for each "
        "function. The exit status is 0 if all are proved.")
    parser.add_argument("subjects", metavar="SUBJECT", nargs="*", help=f"{', '.join(SUBJECTS)} (default: all but arm-sha)")
    parser.add_argument("--second-solver", action="store_true", help="decide each obligation also with Bitwuzla")
    parser.add_argument("--program", default=".build/release/sas", help="the linked program (default: %(default)s)")
    parser.add_argument("--stripped", help="the same program, stripped")
    parser.add_argument("--arm-program", help="the linked program with the kernel arm-sha")
    arguments = parser.parse_args()
    for name in arguments.subjects:
        if name not in SUBJECTS:
            parser.error(f"unknown subject {name}: expected {', '.join(SUBJECTS)}")

    print(f"specification: {spec.check(VECTORS)} digests and codes are correct")
    solver, second = solvers.Z3(), solvers.Bitwuzla()
    failed = 0
    for name in arguments.subjects or [name for name in SUBJECTS if name != "arm-sha"]:
        image = Image(arguments.arm_program if name == "arm-sha" else arguments.program)
        for subject in SUBJECTS[name]:
            start = cpu_seconds()
            try:
                proof = prove(image, subject, solver)
                if arguments.stripped and name != "arm-sha":
                    check_stripped(Image(arguments.stripped), proof)
                if arguments.second_solver and not all(second.proves(problem) for problem in proof.problems):
                    raise Refused(f"{second.name} does not confirm an obligation")
                print(
                    f"{name} {subject.name}: {len(proof.visited)} instructions, {len(proof.problems)} obligations "
                    f"({len(set(proof.problems))} up to renaming), {cpu_seconds() - start:.1f} s of CPU: proved", flush=True)
            except Exception as error:
                failed += 1
                reason = error if isinstance(error, Refused) else f"internal error: {error!r}"
                print(f"{name} {subject.name}: not proved: {reason}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
