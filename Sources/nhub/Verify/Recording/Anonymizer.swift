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
        /// as a whole word, and only in its own case or in lower case.
        let word: [UInt8]?

        init(_ placeholder: String, _ text: String) {
            self.placeholder = "{\(placeholder)}"
            bytes = text.utf8.asciiLowercased
            word = bytes.count < 6 ? Array(text.utf8) : nil
        }
    }

    private let known: [Known]
    /// The indices of the known texts by their first byte.
    private let byFirstByte: [[Int]]

    /// The text that replaces a body or a header that cannot be anonymized.
    static let omitted = "{omitted}"

    /// - Parameter secrets: Further texts to remove, such as a container's URL.
    init(_ hub: NotificationHub, keyName: String?, names: VerifyNames, secrets: [String] = []) {
        let authority = "\(hub.endpoint)".split(separator: "/").last.map(String.init) ?? ""
        let handles = names.handles.map { ("handle", $0) }
        let texts =
            [("run", names.run), ("host", authority), ("host", hub.endpoint.host), ("hub", hub.name.rawValue)]
            + secrets.map { ("secret", $0) } + [("policy", keyName ?? "")]
            // The namespace is the first label of the host, unless that is an address.
            + (hub.endpoint.host.first?.isNumber == true
                ? [] : [("namespace", hub.endpoint.host.split(separator: ".").first.map(String.init) ?? "")])
        // Longer texts first, because they can contain the others.
        let known = (texts + handles).filter { !$0.1.isEmpty }
            .map { Known($0.0, $0.1) }
            .sorted { $0.bytes.count > $1.bytes.count }
        self.known = known
        byFirstByte = (0...255).map { byte in known.indices.filter { known[$0].bytes.first == byte } }
    }

    /// Returns an exchange without the known texts.
    ///
    /// - Parameter keepsBodies: Whether the response's body may be kept.
    func anonymized(_ exchange: Exchange, keepsBodies: Bool) -> Exchange {
        var exchange = exchange.map(anonymized)
        exchange.request.headers["host"] = nil
        if !keepsBodies || listsOthers(exchange.response.body) { exchange.response.body = Self.omitted }
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
        guard body.utf8.firstRange(of: "<feed".utf8) != nil else { return false }
        return body.matches(of: /<entry.*?<\/entry>/.dotMatchesNewlines()).contains {
            $0.output.utf8.firstRange(of: "{run}".utf8) == nil
        }
    }

    /// Whether a string contains a known text in another form: percent-encoded, several times, or in Base64.
    private func reveals(_ text: String) -> Bool {
        var forms = [text]
        for _ in 0..<3 {
            guard let last = forms.last, last.utf8.contains(UInt8(ascii: "%")) else { break }
            forms.append(String(percentDecoding: last))
        }
        forms += forms.flatMap(Self.base64Contents)
        return forms.contains { first(in: Array($0.utf8)[...]) != nil }
    }

    /// Returns the decoded runs of Base64 characters in a string, from each of the four positions where a group can start.
    private static func base64Contents(_ text: String) -> [String] {
        let words = text.utf8.split { byte in
            !(byte.isASCIILetterOrDigit || "+/-_".utf8.contains(byte))
        }
        return words.filter { $0.count >= 8 }.flatMap { word in
            (0..<4).compactMap { start in
                let group = word.dropFirst(start)
                // A single character after the last group has too few bits for a byte.
                let bytes = Base64.decodeLenient(group.count % 4 == 1 ? group.dropLast() : group)
                return bytes.map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    /// Returns the first known text in the bytes, ignoring the case of ASCII letters.
    private func first(in bytes: ArraySlice<UInt8>) -> (range: Range<Int>, placeholder: String)? {
        for start in bytes.indices {
            for index in byFirstByte[Int(bytes[start].asciiLowercased)] {
                let known = known[index]
                let end = start + known.bytes.count
                // The last byte decides faster than a comparison of all.
                guard end <= bytes.endIndex, bytes[end - 1].asciiLowercased == known.bytes.last,
                    zip(bytes[start..<end], known.bytes).allSatisfy({ $0.asciiLowercased == $1 })
                else { continue }
                if let word = known.word {
                    let found = bytes[start..<end]
                    guard found.elementsEqual(word) || found.elementsEqual(known.bytes),
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
