import HubText

/// The string that an account key signs to authorize a request to Azure Storage.
///
/// Source: [Authorize with Shared Key](https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key), for
/// versions from 2015-02-21.
package enum StorageStringToSign {
    /// Returns the string to sign for a request.
    ///
    /// - Parameters:
    ///   - request: The request. Its path is signed as it is sent.
    ///   - account: The storage account's name.
    package static func text(of request: HubRequest, account: String) -> String {
        let headers = request.headers
        let length = headers["Content-Length"] ?? "\(request.body.count)"
        let lines: [String] = [
            request.method.rawValue,
            headers["Content-Encoding"] ?? "",
            headers["Content-Language"] ?? "",
            length == "0" ? "" : length,
            headers["Content-MD5"] ?? "",
            headers["Content-Type"] ?? "",
            headers["x-ms-date"] == nil ? headers["Date"] ?? "" : "",
            headers["If-Modified-Since"] ?? "",
            headers["If-Match"] ?? "",
            headers["If-None-Match"] ?? "",
            headers["If-Unmodified-Since"] ?? "",
            headers["Range"] ?? "",
            canonicalizedHeaders(headers) + "/\(account)" + request.path + canonicalizedQuery(request.query),
        ]
        return lines.joined(separator: "\n")
    }

    /// Returns the headers whose names start with `x-ms-`, one per line, in the service's order.
    private static func canonicalizedHeaders(_ headers: HubHeaders) -> String {
        headers.map { (name: $0.name.utf8.asciiLowercased.lossyText, value: Array($0.value.utf8).trimmed) }
            .filter { $0.name.hasPrefix("x-ms-") }
            .sorted { StorageHeaderName($0.name) < StorageHeaderName($1.name) }
            .map { "\($0.name):\($0.value.lossyText)\n" }.joined()
    }

    /// Returns the query's parameters, each on its own line: names in lower case, and decoded values, sorted. A plus sign is
    /// not a space.
    private static func canonicalizedQuery(_ query: String) -> String {
        var values: [String: [String]] = [:]
        for parameter in query.utf8.split(separator: UInt8(ascii: "&")) {
            let equals = parameter.firstIndex(of: UInt8(ascii: "=")) ?? parameter.endIndex
            let name = PercentDecoded(parameter[..<equals]).bytes.asciiLowercased.lossyText
            values[name, default: []].append(PercentDecoded(parameter[equals...].dropFirst()).bytes.lossyText)
        }
        return values.sorted { $0.key.precedesByBytes($1.key) }
            .map { name, values in
                "\n\(name):"
                    + values.sorted { $0.precedesByBytes($1) }.joined(separator: ",")
            }
            .joined()
    }
}

/// The name of a header, ordered as the service sorts headers.
///
/// The documentation calls the order lexicographical. The service compares names as words: first without hyphens and
/// apostrophes, with punctuation before digits before letters. Microsoft's SDKs contain the same order.
private struct StorageHeaderName: Comparable {
    /// The places of the characters other than hyphens and apostrophes.
    private let places: [Int]
    /// For each character, whether it is an apostrophe (1) or a hyphen (2).
    private let marks: [Int]

    private static let order = Array("!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    /// - Parameter name: The name in lower case.
    init(_ name: String) {
        places = name.utf8.compactMap { Self.order.firstIndex(of: $0) }
        marks = name.utf8.map { $0 == UInt8(ascii: "'") ? 1 : $0 == UInt8(ascii: "-") ? 2 : 0 }
    }

    static func < (left: Self, right: Self) -> Bool {
        left.places == right.places
            ? left.marks.lexicographicallyPrecedes(right.marks) : left.places.lexicographicallyPrecedes(right.places)
    }
}
