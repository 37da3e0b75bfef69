import HubCommandLine

/// The options of the command line.
struct Options {
    /// The number of measurements in each run of a case.
    let count: Int
    /// A string that the names of the cases to run contain.
    let filter: String
    /// Whether to print JSON instead of a table.
    let asJSON: Bool

    /// Parses the command line.
    init(_ arguments: consuming Arguments) throws(UsageError) {
        filter = try arguments.value(of: .filter) ?? ""
        count =
            try arguments.value(of: .measurements).map { text throws(UsageError) in
                guard let number = Int(text), (10_000...1_000_000_000).contains(number) else {
                    throw UsageError(
                        "--measurements: expected a number from 10000 to 1000000000; got \(Arguments.quoted(text))")
                }
                return number
            } ?? 10_000_000
        asJSON = arguments.flag(.json)
        try arguments.finish()
    }

    /// The output of `--help`.
    static let help = """
        OVERVIEW: Searches the times of operations on secrets for differences, with the t-test of dudect.

        USAGE: timing [--filter TEXT] [--measurements N] [--json]

        A measurement is the time of one operation on an input of one of two classes, in random order. If the two classes
        have the same distribution of times, |t| is below 4.5 on a quiet machine. A case whose |t| is above 10 is repeated.
        If |t| is above 10 in three of three runs, the case leaks.

        CASES:
          kernel/NAME             One block per hash value: all words are zero, or random.
          comparison              A received code: wrong only in its last bit, or random.
          hmac-verify/NAME        The same with the computation of the expected code, for each kernel.
          hmac-secret/NAME        A code with a secret that is used once: all bytes are zero, or random.
          sas-verifier/signature  A parsed token: its signature is wrong only in its last bits, or random.
          sas-verifier/secret     A parsed token and a key: all characters of the key are equal, or random.
          planted/comparison      A comparison that stops at the first difference. This leak must be found.
          planted/hmac-verify     The same with the computation of the expected code.

        OPTIONS:
          --filter TEXT     Run only cases whose name contains TEXT.
          --measurements N  Number of measurements in each run of a case (default: 10000000).
          --json            Print one JSON object per line: case, t (of each run), measurements, median, verdict.
          -h, --help        Show this help.

        EXIT STATUS:
          0  no leak, and each planted one is found
          1  a leak, a planted one that is not found, or a wrong result
          2  the command line is invalid
        """
}
