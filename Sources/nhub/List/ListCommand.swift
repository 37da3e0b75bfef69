import HubCommandLine
import NotificationHubs

/// `nhub list`: lists devices and tags.
enum ListCommand: Subcommand {
    static let command = Command(
        "list", summary: "List installations, registrations or tags.",
        usage: ["(installations | registrations | tags) [--exact] [FILTERS] [--concurrency N] [--json]"],
        discussion: [
            """
            The output is a table on a terminal, and otherwise one JSON object per line. The JSON includes the devices' handles. The \
            service has no list of installations: the command lists registrations and then reads each installation. The service \
            throttles these reads heavily. Devices that are unreadable or of an unknown kind are omitted and reported on \
            standard error. Requires the Manage right.
            """
        ],
        actions: .init([
            .init("installations", help: "List installations."),
            .init(
                "registrations",
                help: "List registrations, including those that the hub creates for installations."),
            .init(
                "tags",
                help: """
                    List tags with the numbers of devices and registrations that have them. A device is an installation, or a \
                    registration of its own. An installation has one registration, and one more for each of its templates. Tags \
                    that the service generates, such as $UserId:{zoe}, are omitted. The service separates the tags of a registration with \
                    commas: an invalid tag that contains a comma counts as several tags, unless you pass --exact. You cannot send \
                    a message to such a tag.
                    """),
        ]),
        groups: [
            .deviceFilter,
            .init([
                .init(
                    .exact,
                    help: """
                        For tags: also read each installation, so that a tag with a comma counts as one tag. This takes as long as \
                        list installations. Other clients can store such a tag, for example with a PATCH that replaces all \
                        tags with "news,sports".
                        """),
                .concurrency, .init(.json, help: "Print one JSON object per line, also on a terminal."),
            ]),
            .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "the list is complete"),
                    (.failure, "some devices were omitted, or the hub rejected a request or could not be reached"),
                    (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the result cannot be written"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let action = try arguments.action(of: command)
        let connection = try arguments.connection()
        let filter = try DeviceFilter(&arguments)
        let concurrency = try arguments.concurrency()
        let isExact = arguments.flag(.exact)
        let asJSON = arguments.flag(.json)
        try arguments.finish()
        guard !isExact || action == "tags" else { throw UsageError("--exact requires the action tags") }
        let hub = try connection.settings().bulkHub(concurrency: concurrency)
        let output = ListOutput(asTable: !asJSON && Terminal.showsResults)
        return try await Interrupt.exitStatus {
            let isComplete =
                switch action {
                case "tags": try await listTags(of: hub, filter, isExact ? concurrency : nil, output)
                case "registrations": try await listRegistrations(of: hub, filter, output)
                default: try await listInstallations(of: hub, filter, concurrency, output)
                }
            return isComplete ? .success : .failure
        }
    }

    private static func listInstallations(
        of hub: NotificationHub, _ filter: DeviceFilter, _ concurrency: Int, _ output: ListOutput
    ) async throws -> Bool {
        var (isFirst, omissionCount) = (true, 0)
        // On a terminal, the table itself shows the progress.
        var progress = Terminal.showsResults ? nil : ListingProgress("devices")
        defer { progress?.end() }
        for try await page in filter.pages(of: hub, concurrency: concurrency) {
            progress?.add(page.installations.count)
            try output.write(page.installations.map { .installation($0) }, isFirst: isFirst)
            isFirst = false
            omissionCount += page.reportOmissions()
        }
        return omissionCount == 0
    }

    private static func listRegistrations(
        of hub: NotificationHub, _ filter: DeviceFilter, _ output: ListOutput
    ) async throws -> Bool {
        var (isFirst, omissionCount) = (true, 0)
        var progress = Terminal.showsResults ? nil : ListingProgress("registrations")
        defer { progress?.end() }
        for try await page in hub.registrations(filter.selection).pages {
            progress?.add(page.entries.count)
            try output.write(page.entries.filter(filter.includes).map { .registration($0) }, isFirst: isFirst)
            isFirst = false
            omissionCount += page.reportOmissions()
        }
        return omissionCount == 0
    }

    /// - Parameter concurrency: The number of concurrent reads of installations; `nil` for no reads.
    private static func listTags(
        of hub: NotificationHub, _ filter: DeviceFilter, _ concurrency: Int?, _ output: ListOutput
    ) async throws -> Bool {
        var (table, omissionCount) = (TagTable(), 0)
        if let concurrency {
            var progress = ListingProgress("devices")
            defer { progress.end() }
            for try await page in filter.pages(of: hub, concurrency: concurrency) {
                progress.add(page.installations.count)
                page.installations.forEach { table.addTags(of: $0) }
                omissionCount += page.reportOmissions()
            }
        }
        var progress = ListingProgress("registrations")
        defer { progress.end() }
        for try await page in hub.registrations(filter.selection).pages {
            progress.add(page.entries.count)
            for entry in page.entries where filter.includes(entry) { table.count(entry) }
            // The first listing has reported them.
            if concurrency == nil { omissionCount += page.reportOmissions() }
        }
        progress.end()
        try output.write(table.counts)
        return omissionCount == 0
    }
}

/// The output of `nhub list`: a table, or JSON objects.
struct ListOutput: Sendable {
    let asTable: Bool

    /// Writes devices, in a table after its heading.
    func write(_ records: [DeviceRecord], isFirst: Bool) throws(Console.WriteError) {
        guard asTable else {
            return try Console.output(bytes: records.flatMap { $0.printableJSON + [0x0a] })
        }
        let heading = isFirst ? [Self.row("ID", "PLATFORM", "USER", "TAGS")] : []
        try Console.result(
            heading
                + records.map { record in
                    Self.row(
                        record.id.text, record.pushChannel.platform.rawValue, record.userID?.rawValue ?? "-",
                        record.tags.map(\.listText).joined(separator: ","))
                })
    }

    /// Writes tags with their numbers of devices and registrations.
    func write(_ tags: [TagCount]) throws(Console.WriteError) {
        guard asTable else {
            for count in tags {
                var object = JSONOutput()
                object.add("tag", count.tag.rawValue)
                object.add("devices", Int64(count.deviceCount))
                object.add("registrations", Int64(count.registrationCount))
                try Console.result(object)
            }
            return
        }
        let rows = tags.map { count in
            let (devices, registrations) = ("\(count.deviceCount)", "\(count.registrationCount)")
            return [devices.padded(left: 7), registrations.padded(left: 13), count.tag.listText].joined(separator: "  ")
        }
        try Console.result(["DEVICES  REGISTRATIONS  TAG"] + rows)
    }

    private static func row(_ id: String, _ platform: String, _ user: String, _ tags: String) -> String {
        [id.padded(right: 38), platform.padded(right: 8), user.padded(right: 12), tags].joined(separator: "  ")
    }
}
