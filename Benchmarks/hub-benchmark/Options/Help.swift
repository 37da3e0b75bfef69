/// The output of `--help`.
enum Help {
    static let text = """
        OVERVIEW: Measures the client under load against an emulated hub in the same process.

        USAGE: hub-benchmark [--count N] [--in-flight N] [--filter TEXT] [--tls] [--json]

        CASES:
          upserts/http        Puts installations over HTTP on the loopback interface, with HubHTTPTransport.
          sends/http          Sends template messages, each to one device, with HubHTTPTransport.
          upserts/in-process  Puts installations without a network: measures the client itself.
          tag-sends           Sends template messages to tag expressions, each matching 50 of 100000 installations,
                              without a network: measures the emulated hub.
          payloads/problems   Finds the problems of a message of 4 KB for Firebase, one at a time. Compare it with:
          payloads/write-and-parse
                              Writes the same message from a JSON value, and parses it.

          decode/installation, encode/installation
                              Reads and writes the JSON of an installation of 366 bytes. A call processes 100
                              documents. Rates, CPU time and memory are per document; latencies are per call.
          decode/foundation, encode/foundation
                              The same with Foundation's coders and a plain structure, for comparison.
          decode/decodable    Decodes the installation with Foundation's JSONDecoder into the client's type.
          decode/registrations
                              Lists registrations from a response in memory. Figures are per entry.
          decode/template-problems
                              Finds the problems of the installation's template.

        CASES WITH --tls:
          upserts/https       As upserts/http, over HTTPS through nginx.
          sends/https         As sends/http, over HTTPS through nginx.

        Each case first makes --count / 10 calls to warm up. After that, if --count is at least 10000, the hub holds as
        many installations and deliveries as at the end, so memory growth during the measured calls is a leak. The
        exception is tag-sends: there, the hub records each of the last 5000 to 10000 messages. With fewer than 1000
        messages, tag-sends has 100 installations per message. The time of a call is the time from call to result.

        Client and hub share the process: CPU time and memory include both. The emulated hub checks tokens and parses every
        body on the same processors. nginx is a separate process: its CPU time and memory are not included.

        OPTIONS:
          --count N         Number of measured calls (default: 20000).
          --in-flight N     Number of calls in flight, each on its own connection (default: 64). Each needs up to five
                            open files; see ulimit -n.
          --filter TEXT     Run only cases whose name contains TEXT.
          --tls             Run only the HTTP cases, over HTTPS. Requires nginx and openssl in PATH (packages nginx and
                            openssl). nginx runs in a temporary directory, on a port that the system chooses.
          --json            Print one JSON object per line: case, count, inFlight, callsPerSecond; cpuMicrosecondsPerCall;
                            p50, p99 and p999 in microseconds; allocatedGrowth in bytes and allocatedBytesPerCall;
                            residentAtStart, residentAfterWarmUp, residentInTheMiddle, residentAtEnd, growth
                            and peak in KiB; threads.
          --version         Show the version.
          -h, --help        Show this help.

        CPU time (getrusage) includes all threads in user and system mode. Allocated memory (mallinfo2 of glibc) is memory
        that the process has allocated and not freed. Resident memory also includes memory that the allocator keeps. Memory
        and threads are measured only on Linux; elsewhere they are unknown (null in JSON).

        EXIT STATUS:
          0  success
          1  a call failed, the hub's state does not match the calls, or nginx or openssl is missing
          2  the command line is invalid
        """
}
