/// The output of `--help`.
enum Help {
    static let text = """
        OVERVIEW: Measures hashing, signing and verifying on this machine.

        USAGE: signing-benchmark [--filter TEXT] [--kernel NAME] [--compare] [--rounds N] [--json|--markdown]
                                 [--baseline FILE [--fail-above PERCENT]] [--chart FILE.svg] [--peers FILE]
               signing-benchmark --input FILE [--filter TEXT] [--markdown] [--baseline FILE [--fail-above PERCENT]]
                                 [--chart FILE.svg] [--peers FILE]
               signing-benchmark --threads N|all [--kernel NAME] [--json] [--rounds N]

        Each case is measured in rounds of about 10 ms, after a warm-up. The time is that of the best round, in nanoseconds
        per operation. In a batch, each message is one operation. All results are compared with known answers. A "~" marks
        a median that is more than 25 % above the best time: other work disturbed it.

        OPTIONS:
          --filter TEXT     Run only cases whose name contains TEXT.
          --kernel NAME     Use only this kernel: portable, x86-sha, avx512 or arm-sha. Skips cases whose kernel cannot be
                            forced.
          --compare         Also measure the system's OpenSSL on the same bytes, in alternating rounds. The ratio is
                            OpenSSL's time divided by this package's.
          --libcrypto PATH  With --compare: load this libcrypto instead of the system's.
          --threads N|all   Measure codes and tokens per second on 1, 2, 4 and so on up to N threads that share a key, a signer
                            or a verifier; with --kernel, only codes. N is at most the number of processors.
          --rounds N        Number of rounds (default: 25).
          --laps N          Run N laps in each round, without a warm-up, instead of about 10 ms: for instruction counters
                            such as Valgrind.
          --json            Print one JSON object per line: case, implementation, kernel, ns, median, bytes, machine, commit,
                            allocations. The commit is null unless the current directory is the package's repository.
          --markdown        Print a GitHub Markdown table.
          --baseline FILE   Compare with an earlier run: FILE is the output of --json. With --json, the comparison is on
                            standard error. Cases that only one of the runs measured are listed.
          --fail-above PERCENT
                            With --baseline: exit with status 1 if a case is slower by more than PERCENT (default: 10).
          --chart FILE.svg  Also draw SHA-256 of 1 KiB, HMAC, signing and verifying as an image for light and dark pages.
          --peers FILE      Show the results of other libraries in the chart and in the Markdown table: one JSON object per
                            line with case, implementation and ns.
          --input FILE      Report an earlier run instead of measuring: FILE is the output of --json.
          --version         Show the version.
          -h, --help        Show this help.

        For --baseline, --peers and --input, FILE can be - for standard input. If a file contains several results of a case,
        the fastest counts: concatenate several runs to reduce noise.

        Times from different machines, or from different runs on a busy machine, cannot be compared. Measure the baseline on
        the same machine just before, or compare the ratios between the cases of one run. A warning reports a baseline from
        another machine.

        Allocations are counted on Linux with glibc. Elsewhere they are unknown (null in JSON).

        EXIT STATUS:
          0  success
          1  a result was wrong, --compare could not load libcrypto, a case was slower than --fail-above allows, no case was
             in the baseline, or the chart could not be drawn
          2  the command line or a file is invalid, or the kernel is not available on this machine
        """
}
