/// The text of `--help`.
enum Help {
    static let text = """
        OVERVIEW: What the client does under load, on a hub that runs in the same process.

        USAGE: hub-benchmark [--count N] [--in-flight N] [--filter TEXT] [--json]

        CASES:
          upserts/http        Installations put by HTTP over the loopback interface, by URLSessionTransport.
          upserts/in-process  The same without any network: what the client itself costs.
          tag-sends           Template messages to tag expressions, which reach 50 of 100000 installations each: what the
                              emulated hub costs, without any network.

        Each case first makes a tenth as many calls to warm up. The installations are 1000 devices, put over and over, so
        that the hub holds as many after the warm-up as at the end: memory that grows then is a leak, but for tag-sends, whose
        deliveries are kept; and with fewer than 1000 messages, it has 100 installations for each. The time of a call is
        its caller's, from the call to the answer. The emulated hub checks tokens and reads every body on the same
        processors, and its time and memory are in the figures.

        OPTIONS:
          --count N         How many calls; 20000 without it.
          --in-flight N     How many of them are under way at once; 64 without it. Each takes four or five open files by HTTP:
                            see ulimit -n.
          --filter TEXT     Only the cases whose names contain TEXT.
          --json            One JSON object a line: case, count, inFlight, callsPerSecond, p50 and p99 in microseconds;
                            residentAtStart, AfterWarmUp, InTheMiddle, AtEnd, growth and peak in KiB; threads.
          --version         Show the version.
          -h, --help        Show this help.

        Memory and threads are counted on Linux alone; elsewhere they are unknown (null in JSON).

        EXIT STATUS:
          0  all went well
          1  a call failed, or the hub does not hold what was put
          2  the command line is wrong; nothing was measured
        """
}
