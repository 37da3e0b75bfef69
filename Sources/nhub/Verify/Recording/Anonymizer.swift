import HubText
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

/// The removal of everything from exchanges that identifies a hub or its key.
struct Anonymizer: Sendable {
    /// A known text and the placeholder that replaces it.
    private struct Known: Sendable {
        let placeholder: String
        /// The text in lower case.
        let bytes: [UInt8]
        /// The text itself, if it is so short that it can be a part of another word, or a word of a sentence. It is then replaced only
        /// as a whole word, and only in its own case, in lower case, or after a quotation mark, a slash or a colon.
        let word: [UInt8]?

        /// Words of the protocol that are also likely names of hubs.
        private static let protocolWords: Set<String> = [
            "installation", "installations", "registration", "registrations", "message", "messages", "notification",
            "notifications", "notificationhub", "notificationhubs", "template", "templates", "windows", "browser",
            "xiaomi",
            "device", "devices", "servicebus", "verify", "content", "location", "platform",
        ]

        init(_ placeholder: String, _ text: String) {
            self.placeholder = "{\(placeholder)}"
            bytes = text.utf8.asciiLowercased
            word = bytes.count < 6 || Self.protocolWords.contains(text.lowercased()) ? Array(text.utf8) : nil
        }
    }

    private let known: [Known]
    private let run: String
    /// The indices of the known texts by their first byte.
    private let byFirstByte: [[Int]]

    /// The text that replaces a body or a header that cannot be anonymized.
    static let omitted = "{omitted}"

    /// - Parameter secrets: Further texts to remove, such as a container's URL.
    init(_ hub: NotificationHub, keyName: String?, names: VerifyNames, secrets: [String] = []) {
        let authority = "\(hub.endpoint)".split(separator: "/").last.map(String.init) ?? ""
        var texts: [(name: String, text: String)] = [
            ("run", names.run), ("host", authority), ("host", hub.endpoint.host), ("hub", hub.name.rawValue),
            ("policy", keyName ?? ""),
        ]
        texts += secrets.map { ("secret", $0) }
        // The namespace is the first label of the host, unless that is an address.
        if hub.endpoint.host.first?.isNumber != true {
            texts.append(("namespace", hub.endpoint.host.split(separator: ".").first.map(String.init) ?? ""))
        }
        texts += names.handles.map { ("handle", $0) }
        run = names.run
        // Longer texts first, because they can contain the others.
        let known = texts.filter { !$0.text.isEmpty }
            .map { Known($0.name, $0.text) }
            .sorted { $0.bytes.count > $1.bytes.count }
        self.known = known
        byFirstByte = (0...255).map { byte in known.indices.filter { known[$0].bytes.first == byte } }
    }

    /// Returns an exchange without the known texts.
    ///
    /// - Parameter keepsBodies: Whether the response's body may be kept.
    func anonymized(_ exchange: Exchange, keepsBodies: Bool) -> Exchange {
        var exchange = exchange
        if !keepsBodies || exchange.response.body.utf8.count > Self.maximumBodySize
            || listsOthers(exchange.response.body)
        {
            exchange.response.body = Self.omitted
        }
        return exchange.map(anonymized)
    }

    /// The largest body to keep. The run's own lists are smaller.
    private static let maximumBodySize = 1 << 18

    /// The headers that a recording keeps. Those of a proxy or a server can name it.
    private static let recordedHeaders: Set<String> = [
        "content-type", "etag", "location", "content-location", "retry-after", "server", "trackingid",
        "www-authenticate",
        "x-ms-continuationtoken", "x-ms-correlation-request-id", "x-powered-by", "if-match",
    ]

    /// Returns an anonymized exchange as a recording keeps it.
    static func recorded(_ exchange: Exchange) -> Exchange {
        func keep(_ name: String) -> Bool {
            recordedHeaders.contains(name)
                || ["servicebusnotification-", "apns-", "x-wns-"].contains { name.hasPrefix($0) }
                || ["x-windowsphone-target", "x-notificationclass"].contains(name)
        }
        var exchange = exchange
        exchange.request.headers = exchange.request.headers.filter { keep($0.key) }
        exchange.response.headers = exchange.response.headers.filter { keep($0.key) }
        return exchange
    }

    private func anonymized(_ text: String) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let (range, placeholder) = first(in: rest) {
            result += rest[..<range.lowerBound] + Array(placeholder.utf8)
            rest = rest[range.upperBound...]
        }
        let anonymized = result.isEmpty ? text : String(decoding: result + rest, as: UTF8.self)
        return reveals(anonymized) ? Self.omitted : anonymized
    }

    /// Whether a list contains an entry without the run's name, which belongs to someone else.
    private func listsOthers(_ body: String) -> Bool {
        guard body.contains("<feed") || body.contains(":feed") else { return false }
        // The text up to each end of an entry, or of its start for an unclosed one.
        let entries = body.split(separator: "entry>", omittingEmptySubsequences: false).dropLast()
        return entries.contains { $0.hasSuffix("/") || $0.hasSuffix(":") ? !$0.contains(run) : false }
    }

    /// Whether a string contains a known text in another form: with escapes of URLs, JSON or XML, in Base64 or hexadecimal digits,
    /// or in several of them.
    private func reveals(_ text: String) -> Bool {
        var forms: Set<String> = []
        var new = [text]
        for _ in 0..<4 {
            new = new.flatMap(Self.decoded).filter { forms.insert($0).inserted }
            if new.contains(where: { first(in: Array($0.utf8)[...], isDecoded: true) != nil }) { return true }
        }
        return false
    }

    /// Returns the forms that a string can have decoded once.
    private static func decoded(_ text: String) -> [String] {
        var forms = base64Contents(text)
        if text.utf8.contains(UInt8(ascii: "%")) { forms.append(String(percentDecoding: text)) }
        if text.contains("\\u") {
            forms.append(text.replacing(/\\u([0-9a-fA-F]{4})/) { character(UInt32($0.1, radix: 16)) })
        }
        if text.contains("&#") {
            forms.append(
                text.replacing(/&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));/) { match in
                    character(match.1.map { UInt32($0, radix: 16) } ?? match.2.flatMap { UInt32($0) } ?? nil)
                })
        }
        return forms
    }

    private static func character(_ value: UInt32?) -> String {
        value.flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? "?"
    }

    /// Returns the decoded runs of Base64 characters in a string, from each of the four positions where a group can start, and of
    /// hexadecimal digits.
    private static func base64Contents(_ text: String) -> [String] {
        let words = text.utf8.split { !($0.isASCIILetterOrDigit || "+/-_".utf8.contains($0)) }
        return words.filter { (6...4096).contains($0.count) }.flatMap { word in
            var contents: [[UInt8]] = (0..<4).compactMap { start in
                let group = word.dropFirst(start)
                // A single character after the last group has too few bits for a byte.
                return Base64.decodeLenient(group.count % 4 == 1 ? group.dropLast() : group)
            }
            if word.allSatisfy(\.isASCIIHexDigit), let digits = Array(word).hexDecoded { contents.append(digits) }
            return contents.filter { $0.allSatisfy { $0 < 0x80 } }.map(\.lossyText)
        }
    }

    /// Returns the first known text in the bytes, ignoring the case of ASCII letters.
    ///
    /// - Parameter isDecoded: Whether to find only texts of at least four characters, because decoded words are random.
    private func first(
        in bytes: ArraySlice<UInt8>, isDecoded: Bool = false
    ) -> (range: Range<Int>, placeholder: String)? {
        for start in bytes.indices {
            for index in byFirstByte[Int(bytes[start].asciiLowercased)] {
                let known = known[index]
                let end = start + known.bytes.count
                if isDecoded, known.bytes.count < 4 { continue }
                // The last byte decides faster than a comparison of all.
                guard end <= bytes.endIndex, bytes[end - 1].asciiLowercased == known.bytes.last,
                    zip(bytes[start..<end], known.bytes).allSatisfy({ $0.asciiLowercased == $1 })
                else { continue }
                if let word = known.word {
                    let found = bytes[start..<end]
                    let isQuoted = start > bytes.startIndex && "/:'\"".utf8.contains(bytes[start - 1])
                    guard found.elementsEqual(word) || found.elementsEqual(known.bytes) || isQuoted,
                        !isLetterOrDigit(start - 1, bytes), !isLetterOrDigit(end, bytes)
                    else { continue }
                }
                return (start..<end, known.placeholder)
            }
        }
        return nil
    }

    private func isLetterOrDigit(_ index: Int, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.indices.contains(index) && bytes[index].isASCIILetterOrDigit
    }
}
