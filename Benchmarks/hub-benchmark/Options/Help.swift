/// The text of `--help`.
enum Help {
    static let text = """
        OVERVIEW: Measures the client under load, with an emulated hub in the same process.

        USAGE: hub-benchmark [--count N] [--in-flight N] [--filter TEXT] [--tls] [--json]

        CASES:
          upserts/http        Puts installations by HTTP over the loopback interface, by HubHTTPTransport.
          sends/http          Sends template messages, each to one device, by HubHTTPTransport.
          upserts/in-process  Puts installations without a network: the cost of the client itself.
          tag-sends           Sends template messages to tag expressions, each of which matches 50 of 100000 installations,
                              without a network: the cost of the emulated hub.

        CASES WITH --tls:
          upserts/https       As upserts/http, over HTTPS through nginx.
          sends/https         As sends/http, over HTTPS through nginx.

        Each case first makes a tenth as many calls to warm up. The hub then holds as many installations and deliveries as at
        the end, so memory that grows during the measured calls is a leak. Only in tag-sends, the hub keeps a record of each
        of the last 5000 to 10000 messages. With fewer than 1000 messages, tag-sends has 100 installations for each. A call's time is from the call to its result.

        Client and hub share the process: CPU time and memory include both. The emulated hub checks tokens and reads every
        body on the same processors. nginx is another process: its CPU time and memory are not included.

        OPTIONS:
          --count N         The number of measured calls; default: 20000.
          --in-flight N     The number of calls in flight, each on a connection of its own; default: 64. Each needs up to five
                            open files: see ulimit -n.
          --filter TEXT     Run only the cases whose names contain TEXT.
          --tls             Run the HTTP cases over HTTPS, and no others. Needs nginx and openssl in PATH (packages nginx and
                            openssl); nginx runs in a temporary folder on a port that the system chooses, until the end.
          --json            Print one JSON object per line: case, count, inFlight, callsPerSecond; cpuMicrosecondsPerCall;
                            p50, p99 and p999 in microseconds; allocatedGrowth in bytes and allocatedBytesPerCall;
                            residentAtStart, AfterWarmUp, InTheMiddle, AtEnd, growth and peak in KiB; threads.
          --version         Show the version.
          -h, --help        Show this help.

        CPU time (getrusage) is that of all threads in user and system mode. Allocated memory (mallinfo2 of glibc) is what the
        process has allocated and not freed. Resident memory also includes memory that the allocator keeps. Memory and
        threads are measured on Linux only; elsewhere they are unknown (null in JSON).

        EXIT STATUS:
          0  success
          1  a call failed, the hub's state does not match the calls, or nginx or openssl is missing
          2  the command line is invalid; nothing was measured
        """
}
