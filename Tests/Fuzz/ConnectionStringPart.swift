@testable import SharedAccessSignature

/// A fuzz test that parses the input as a connection string.
enum ConnectionStringPart {
    static func check(_ input: [UInt8]) {
        let text = input.text
        let fields = fields(Array(text.utf8))
        do {
            checkParsed(try ConnectionString(text), fields)
        } catch {
            require(
                (0...text.utf8.count).contains(error.offset ?? -1),
                "error offset \(error.offset ?? -1) is outside the input")
            // Usually empty, so that the values need no comparison.
            let shown = windows(withoutOffsets(error.description)).subtracting(messageWindows)
            if shown.isEmpty { return }
            for (_, value) in fields {
                require(shown.isDisjoint(with: windows(Array(value.utf8))), "an error message contains a value")
            }
        }
    }

    /// Returns the names and values of fields separated by semicolons.
    private static func fields(_ text: [UInt8]) -> [(name: String, value: String)] {
        text.split(separator: UInt8(ascii: ";")).map { part in
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            return (NaiveCodec.lowercased(trimmed(name)).text, trimmed(part.dropFirst(name.count + 1)).text)
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let isSpace = { (byte: UInt8) in " \t\n\u{b}\u{c}\r".utf8.contains(byte) }
        return bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    }

    private static func checkParsed(_ string: ConnectionString, _ fields: [(name: String, value: String)]) {
        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
        require(string.entityPath == value("entitypath"), "wrong entity path")
        let rest =
            (string.entityPath.map { ";EntityPath=\($0)" } ?? "")
            + (string.endpoint.isDevelopmentEmulator ? ";UseDevelopmentEmulator=true" : "")
        let endpoint = "Endpoint=sb://\(string.endpoint.authority)/;"
        require(string.endpoint.description.hasSuffix(string.endpoint.authority), "wrong endpoint")

        let printed: String
        switch string.credential {
        case .key(let key):
            let name = value("sharedaccesskeyname") ?? ""
            let secret = value("sharedaccesskey") ?? ""
            require(key.name.utf8.elementsEqual(name.utf8), "wrong key name")
            require(key.fingerprint == SharedAccessKey(name: "", secret: secret).fingerprint, "wrong key")
            require(
                string.description == "\(endpoint)SharedAccessKeyName=\(name);SharedAccessKey=(redacted)\(rest)",
                "wrong description: \(string)")
            printed = "\(endpoint)SharedAccessKeyName=\(name);SharedAccessKey=\(secret)\(rest)"
        case .token(let token):
            require(token.headerValue == value("sharedaccesssignature"), "wrong token")
            require(
                string.description == "\(endpoint)SharedAccessSignature=(redacted)\(rest)",
                "wrong description: \(string)")
            printed = "\(endpoint)SharedAccessSignature=\(token.headerValue)\(rest)"
        }
        guard let reparsed = try? ConnectionString(printed) else {
            fatalError("fuzz failure: the printed connection string is rejected")
        }
        require(
            reparsed.endpoint == string.endpoint && reparsed.description == string.description,
            "parsing the printed connection string returns another value")
        if let key = string.key {
            require(
                reparsed.key?.fingerprint == key.fingerprint,
                "parsing the printed connection string returns another key")
        }
    }
}

// MARK: Error messages

extension ConnectionStringPart {
    /// Returns an error message without offsets: its own and that of a nested token error.
    private static func withoutOffsets(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 where !(NaiveCodec.isDigit(byte) && bytes.ends(with: "byte ")) { bytes.append(byte) }
        return bytes
    }

    /// Returns all sequences of eight bytes.
    private static func windows(_ bytes: [UInt8]) -> Set<UInt64> {
        var window: UInt64 = 0
        var windows: Set<UInt64> = []
        for (index, byte) in bytes.enumerated() {
            window = window << 8 | UInt64(byte)
            if index >= 7 { windows.insert(window) }
        }
        return windows
    }

    /// The sequences in the messages of errors for other strings, which contain only fixed text.
    private static let messageWindows: Set<UInt64> = {
        let endpoint = "Endpoint=sb://h/;"
        let signatures = [
            "a", "SharedAccessSignature a=1", "SharedAccessSignature sr=1&sr=1", "SharedAccessSignature se=x",
            "SharedAccessSignature sr=1", "SharedAccessSignature se=1", "SharedAccessSignature se=1&sr=1&skn=1",
            "SharedAccessSignature se=1&sr=1&sig=1", "SharedAccessSignature se=1&sr=1&sig=1&skn=1",
            "SharedAccessSignature sr=",
            "SharedAccessSignature sr=1&se=x&sig=1&skn=1", "SharedAccessSignature sig=", "SharedAccessSignature skn=",
            "SharedAccessSignature se=1&se=1", "SharedAccessSignature skn=1&skn=1", "SharedAccessSignature sig=1&sig=1",
            String(repeating: "a", count: 9000),
        ]
        let strings =
            [
                "", "SharedAccessKeyName=a", "a=1", "a", "Endpoint=", "Endpoint=\u{1}x", endpoint,
                endpoint + "SharedAccessKeyName=a",
                "Endpoint=a b",
                endpoint + "SharedAccessKey=a;SharedAccessKeyName=\(String(repeating: "A", count: 43))=",
                endpoint + "UseDevelopmentEmulator=x", "Endpoint=x", "Endpoint=http://x", "Endpoint=sb://x:y",
                "Endpoint=sb://?",
                endpoint + "SharedAccessSignature=a;SharedAccessKeyName=b",
                endpoint + "SharedAccessSignature=a;SharedAccessKey=b",
            ] + signatures.map { "\(endpoint)SharedAccessSignature=\($0)" }
            + ConnectionString.Field.allCases.flatMap { ["\($0.rawValue)=1;\($0.rawValue)=1", "\($0.rawValue)="] }
            + ConnectionString.foreign.map { "\($0.name)=1" }
        return strings.reduce(into: []) { result, text in
            do throws(ConnectionStringError) {
                _ = try ConnectionString(text)
            } catch {
                result.formUnion(windows(withoutOffsets(error.description)))
            }
        }
    }()
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
