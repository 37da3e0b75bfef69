import HubText

/// A shared access signature of Azure Storage: the query of a URL, signed with a storage key.
///
/// Source: Microsoft's documentation, "Create a service SAS", "Create an account SAS" and "Create a user delegation SAS".
struct StorageSAS {
    /// A kind of signature. The raw values are part of the JSON output of `sas inspect`.
    enum Kind: String {
        /// For resources of one service, signed with the account's key.
        case service
        /// For several services, signed with the account's key.
        case account
        /// For resources of one service, signed with a key that Microsoft Entra ID issued for a user.
        case userDelegation
    }

    /// The URL before the query; empty for a query alone.
    let url: ArraySlice<UInt8>
    let kind: Kind
    /// The known fields, in order: the name and the value before percent-decoding.
    private let fields: [(name: String, value: ArraySlice<UInt8>)]

    /// Parses a URL with a signature, or its query. Returns `nil` without the fields `sv` and `sig`, or with `skn`.
    init?(_ text: [UInt8]) {
        let text = text[...].trimmed
        let question = text.firstIndex(of: UInt8(ascii: "?"))
        url = question.map { text[..<$0] } ?? []
        let query = question.map { text[($0 + 1)...] } ?? text
        var names: Set<String> = []
        var fields: [(name: String, value: ArraySlice<UInt8>)] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = part[..<equals].asciiLowercased.lossyText
            names.insert(name)
            if Self.names.contains(name) { fields.append((name, part[(equals + 1)...])) }
        }
        guard names.isSuperset(of: ["sv", "sig"]), !names.contains("skn") else { return nil }
        self.fields = fields
        kind =
            names.contains("skoid")
            ? .userDelegation : names.isDisjoint(with: ["ss", "srt"]) ? .service : .account
    }

    /// The names of the fields, in the order of a report.
    static let names = [
        "sv", "ss", "srt", "sr", "sdd", "tn", "spk", "srk", "epk", "erk", "si", "sp", "st", "se", "spr", "sip", "ses",
        "skoid", "sktid", "skt", "ske", "sks", "skv", "saoid", "suoid", "scid", "sduoid", "skdutid", "rscc", "rscd",
        "rsce", "rscl", "rsct", "sig",
    ]

    /// Returns the value of the first field with a name, before percent-decoding.
    func rawValue(_ name: String) -> ArraySlice<UInt8>? {
        fields.first { $0.name == name }?.value
    }

    /// Returns the decoded value of the first field with a name.
    func value(_ name: String) -> [UInt8]? {
        rawValue(name).map { PercentDecoded($0, readsPlusAsSpace: true).bytes }
    }

    /// Returns the number of fields with a name.
    func count(_ name: String) -> Int {
        fields.count { $0.name == name }
    }

    /// Returns the seconds since 1970 of a field with a time: a date, or a date and a time of day.
    func time(_ name: String) -> Int64? {
        guard let text = value(name).flatMap({ String(strictUTF8: $0) }) else { return nil }
        return (Timestamp(text) ?? Timestamp(text + "T00:00"))?.seconds
    }
}

extension StorageSAS {
    /// The names of the signed services; `nil` without `ss`.
    var services: [String]? {
        value("ss").map { names($0, in: ["b": "blob", "f": "file", "q": "queue", "t": "table"]) }
    }

    /// The names of the signed types of resource; `nil` without `srt` and `sr`.
    var resourceTypes: [String]? {
        if let levels = value("srt") { return names(levels, in: ["s": "service", "c": "container", "o": "object"]) }
        let types = [
            "b": "blob", "bv": "blob version", "bs": "blob snapshot", "c": "container", "d": "directory", "f": "file",
            "s": "file share",
        ]
        return value("sr").map { [types[$0.lossyText] ?? Self.unknown] }
    }

    /// The names of the permissions; `nil` without `sp`.
    var permissions: [String]? {
        var permissions = [
            "r": "read", "a": "add", "c": "create", "w": "write", "d": "delete", "x": "delete versions",
            "y": "delete permanently", "l": "list", "t": "tags", "f": "find by tags", "m": "move", "e": "execute",
            "o": "change owner", "p": "process", "u": "update", "i": "set immutability policy",
        ]
        let blobTypes = ["b", "bv", "bs", "c", "d"]
        if let type = value("sr"), blobTypes.contains(type.lossyText) { permissions["p"] = "change permissions" }
        return value("sp").map { names($0, in: permissions) }
    }

    private static let unknown = "unknown"

    /// Returns the names of letters.
    private func names(_ letters: [UInt8], in table: [String: String]) -> [String] {
        letters.map { table[[$0].lossyText] ?? Self.unknown }
    }
}
