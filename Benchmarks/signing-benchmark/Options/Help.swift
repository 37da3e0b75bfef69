/// The output of `--help`.
enum Help {
    static let text = """
        OVERVIEW: Measures hashing, signing and verifying on this machine.

        USAGE: signing-benchmark [--filter TEXT] [--kernel NAME] [--compare] [--json] [--rounds N]
               signing-benchmark --threads N|all [--kernel NAME] [--json] [--rounds N]

        Each case is measured in rounds of about 10 ms, after a warm-up. The time is that of the best round, in nanoseconds
        per operation. In a batch, each message is one operation. All results are compared with known answers.

        OPTIONS:
          --filter TEXT     Run only cases whose name contains TEXT.
          --kernel NAME     Use only this kernel: portable, x86-sha, avx512 or arm-sha. Skips cases whose kernel cannot be
                            forced.
          --compare         Also measure the system's OpenSSL on the same bytes, in alternating rounds. The ratio is
                            OpenSSL's time divided by this package's.
          --libcrypto PATH  With --compare: load this libcrypto instead of the system's.
          --threads N|all   Measure signatures per second with one prepared key on 1, 2, 4 and so on up to N threads; N is at
                            most the number of processors.
          --rounds N        Number of rounds (default: 25).
          --json            Print one JSON object per line: case, implementation, kernel, ns, median, bytes, allocations.
          --version         Show the version.
          -h, --help        Show this help.

        Allocations are counted on Linux with glibc. Elsewhere they are unknown (null in JSON).

        EXIT STATUS:
          0  success
          1  a result was wrong, or --compare could not load libcrypto
          2  the command line is invalid, or the kernel is not available on this machine
        """
}
