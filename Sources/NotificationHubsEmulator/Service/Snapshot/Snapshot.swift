package import NotificationHubs
import SharedAccessSignature

/// The saved state of hubs.
///
/// Its file format is JSON Lines: a line with the format and its version, a line for each hub that precedes the lines of its
/// items, and a last line that shows that the file is complete. Equal states have equal bytes.
package struct Snapshot: Sendable {
    /// A hub in a snapshot.
    package struct Hub: Sendable {
        package let name: NotificationHub.Name
        package let policies: [HubEmulator.AccessPolicy]
        var state: HubState
    }

    static let version = 1
    static let format = "nhub-snapshot"

    /// The maximum number of hubs of a namespace, which is the service's.
    package static let maximumHubCount = 100

    package var hubs: [Hub]

    /// Returns a snapshot in its file format. It contains the hubs' keys and the containers' signatures.
    ///
    /// - Parameter hubs: The hubs. A lazy sequence creates the copy of a hub when it is written.
    package static func bytes(of hubs: some Sequence<Hub>) -> [UInt8] {
        var bytes: [UInt8] = []
        let write = { (object: JSONObject) in bytes += JSONValue.object(object).bytes + [UInt8(ascii: "\n")] }
        write(["format": .string(Self.format), "version": .number(.init(Self.version))])
        for hub in hubs {
            write(hub.json)
            hub.state.forEachItem { kind, item in
                var item = item
                item["kind"] = .string(kind.rawValue)
                write(item)
            }
        }
        write(["kind": .string(SnapshotLine.Kind.end.rawValue)])
        return bytes
    }
}

/// An incremental reader of a snapshot's lines.
package struct SnapshotReader {
    private var lineNumber = 0
    private var hasFormat = false
    private var isComplete = false
    private var snapshot = Snapshot(hubs: [])

    /// Creates a reader that expects the first line.
    package init() {}

    /// Returns the snapshot in a file's bytes.
    package static func read(_ bytes: some Sequence<UInt8>) throws(HubEmulator.SnapshotError) -> Snapshot {
        var reader = SnapshotReader()
        for line in Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            try reader.read(line)
        }
        return try reader.finish()
    }

    /// Reads the next line. Blank lines are ignored.
    package mutating func read(_ bytes: some Collection<UInt8>) throws(HubEmulator.SnapshotError) {
        lineNumber += 1
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return }
        var line = try SnapshotLine(bytes, number: lineNumber)
        guard hasFormat else { return try readFormat(&line) }
        guard !isComplete else { throw line.error("unexpected line after the end of the snapshot") }
        let kind = try line.kind()
        switch kind {
        case .hub: snapshot.hubs.append(try Snapshot.Hub(&line, after: snapshot.hubs))
        case .end: isComplete = true
        default:
            guard !snapshot.hubs.isEmpty else { throw line.error("expected a line of the kind hub") }
            try snapshot.hubs[snapshot.hubs.count - 1].state.add(kind, &line)
        }
        try line.finish()
    }

    private mutating func readFormat(_ line: inout SnapshotLine) throws(HubEmulator.SnapshotError) {
        guard (try? line.string("format")) == Snapshot.format else {
            throw line.error("expected a snapshot of the emulator: {\"format\":\"\(Snapshot.format)\",\"version\":1}")
        }
        let version = try line.integer("version")
        guard version == Snapshot.version else {
            throw line.error(
                "unsupported snapshot version \(version) (supported: \(Snapshot.version)): use the version of the "
                    + "emulator that saved it")
        }
        try line.finish()
        hasFormat = true
    }

    /// Returns the snapshot.
    ///
    /// - Throws: ``HubEmulator/SnapshotError`` if the last line is missing.
    package func finish() throws(HubEmulator.SnapshotError) -> Snapshot {
        guard isComplete else {
            throw HubEmulator.SnapshotError(
                "incomplete snapshot: the last line, {\"kind\":\"end\"}, is missing: save it again")
        }
        return snapshot
    }
}

extension Snapshot.Hub {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "kind": .string(SnapshotLine.Kind.hub.rawValue), "name": .string(name.rawValue),
            "policies": .array(policies.map { .object($0.json) }), "jobCount": .number(.init(state.jobs.count)),
            "notificationCount": .number(.init(state.notifications.count)),
            "deliveryCount": .number(.init(state.deliveries.count)),
            "warningCount": .number(.init(state.warnings.count)),
        ]
        // Characters that XML cannot represent were rejected when the description was read.
        let description = XMLElement(name: "description", children: state.descriptionElements)
        if !description.children.isEmpty, let xml = try? XMLWriter.write(description, declaration: false) {
            object["description"] = .string(String(decoding: xml, as: UTF8.self))
        }
        return object
    }

    fileprivate init(_ line: inout SnapshotLine, after hubs: [Self]) throws(HubEmulator.SnapshotError) {
        let text = try line.string("name")
        let name = try line.parse("name") { try NotificationHub.Name(validating: text) }
        guard name != HubService.reservedName else { throw line.error("invalid name: \(name) is reserved") }
        guard hubs.count < Snapshot.maximumHubCount else {
            throw line.error("too many hubs (allowed: at most \(Snapshot.maximumHubCount))")
        }
        guard !hubs.contains(where: { $0.name.isSame(as: text) }) else { throw line.error("duplicate hub name") }
        self.name = name
        policies = try line.objects("policies").map { policy throws(HubEmulator.SnapshotError) in
            try HubEmulator.AccessPolicy(policy)
        }
        guard !policies.isEmpty, Set(policies.map(\.name)).count == policies.count else {
            throw line.error("invalid policies: expected at least one, with distinct names")
        }
        // The snapshot has no deliveries, so their limit does not matter.
        state = HubState(hubName: name, deliveryLimit: 1, memory: MemoryBudget())
        if let xml = try line.optionalString("description") {
            state.descriptionElements = try line.parse("description") {
                try Atom.read(Array(xml.utf8), maximumByteCount: xml.utf8.count).children
            }
        }
        state.jobs.advance(to: try line.integer("jobCount"))
        state.notifications.advance(to: try line.integer("notificationCount"))
        state.deliveries.advance(to: try line.integer("deliveryCount"))
        state.warnings.advance(to: try line.integer("warningCount"))
    }
}

extension HubEmulator.AccessPolicy {
    private static let rightNames: [(name: String, right: Right)] = [
        ("listen", .listen), ("manage", .manage), ("send", .send),
    ]

    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "key": .string(key),
            "rights": .strings(Self.rightNames.filter { rights.contains($0.right) }.map(\.name)),
        ]
        object["secondaryKey"] = secondaryKey.map { .string($0) }
        return object
    }

    /// Whether the name and the key can be part of a connection string.
    package var isValid: Bool {
        (try? ConnectionString(connectionString(endpoint: "sb://emulator.invalid/"))) != nil
    }

    fileprivate init(_ line: SnapshotLine) throws(HubEmulator.SnapshotError) {
        var line = line
        let names = try line.strings("rights")
        let rights = names.compactMap { name in Self.rightNames.first { $0.name == name }?.right }
        self.init(
            name: try line.string("name"), key: try line.string("key"),
            secondaryKey: try line.optionalString("secondaryKey"), rights: Set(rights))
        guard rights.count == names.count, isValid else {
            throw line.error("invalid policy: expected a name, a key and rights (allowed: listen, manage, send)")
        }
        try line.finish()
    }
}
