import NotificationHubs
import SharedAccessSignature

/// A request's query, decoded as a form's fields are: names in any case of ASCII letters, each once.
struct Query {
    private var values: [[UInt8]: String] = [:]

    init(_ text: String) throws(Refusal) {
        for field in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Array(parts[0]).percentDecoded(readsPlusAsSpace: true),
                let bytes = (parts.count > 1 ? Array(parts[1]) : []).percentDecoded(readsPlusAsSpace: true),
                let value = String(strictUTF8: bytes)
            else { throw Refusal(400, "the query is not percent-encoded UTF-8") }
            guard values.updateValue(value, forKey: name.map(\.asciiLowercased)) == nil else {
                throw Refusal(400, "the query has a name twice")
            }
        }
    }

    subscript(name: String) -> String? { values[Array(name.utf8)] }
}
