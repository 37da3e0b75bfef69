/// The text of `--help`.
enum Help {
    static let text = """
        OVERVIEW: How long hashing, signing and verifying take on this machine.

        USAGE: signing-benchmark [--filter TEXT] [--kernel NAME] [--compare] [--json] [--rounds N]
               signing-benchmark --threads N|all [--kernel NAME] [--json] [--rounds N]

        Every case is measured in rounds of some 10 ms, after a warm-up; the time is the best round's, in nanoseconds per
        operation. In a batch, one message is one operation. All results are compared with known answers.

        OPTIONS:
          --filter TEXT     Only the cases whose names contain TEXT.
          --kernel NAME     Only this kernel: portable, x86-sha, avx512 or arm-sha. Cases that have no way to force one are
                            left out.
          --compare         Measure the system's OpenSSL too, on the same bytes, round by round in turn. The ratio says how
                            many times longer OpenSSL takes.
          --libcrypto PATH  With --compare: the libcrypto to load instead of the system's.
          --threads N|all   Signatures per second by one prepared key on 1, 2, 4 and so on up to N threads, of which there
                            are as many as processors at the most.
          --rounds N        How many rounds; 25 without it.
          --json            One JSON object a line: case, implementation, kernel, ns, median, bytes, allocations.
          --version         Show the version.
          -h, --help        Show this help.

        Allocations are counted on Linux with glibc. Where the counter does not work they are unknown (null in JSON).

        EXIT STATUS:
          0  all went well
          1  a result was wrong, or --compare found nothing to compare with
          2  the command line is wrong, or this machine lacks the kernel; nothing was measured
        """
}
