/// A comparison of the service's response with the emulator's response to the same request.
package struct ExchangeComparison: Sendable {
    /// A part of the responses that differs, with placeholders for variable text.
    package struct Difference: Hashable, Sendable {
        /// `request`, `status`, `body` or the lowercase name of a header.
        package let field: String
        package let service: String
        package let emulator: String

        package init(field: String, service: String, emulator: String) {
            (self.field, self.service, self.emulator) = (field, service, emulator)
        }
    }

    /// Whether all texts are equal, including the service's IDs and times, except for the headers that identify each response.
    package let isEqual: Bool
    /// The differences other than those of IDs and times.
    package let differences: [Difference]

    /// The value of a header that a response does not have.
    private static let missing = "–"

    /// The headers that an HTTP server adds to the hub's response.
    package static let serverHeaders: Set<String> = [
        "connection", "content-length", "date", "keep-alive", "transfer-encoding",
    ]

    /// Compares two exchanges.
    ///
    /// - Parameters:
    ///   - ignored: The headers to leave out, by lowercase name.
    ///   - unnumbered: The function of ``VariableText/unnumbered()``, which is costly to create.
    package init(
        service: Exchange, emulator: Exchange, ignoring ignored: Set<String> = [], by unnumbered: (String) -> String
    ) {
        var found: [Difference] = []
        func compare(_ field: String, _ service: String, _ emulator: String) {
            guard service != emulator else { return }
            let (service, emulator) = (Self.sorted(unnumbered(service)), Self.sorted(unnumbered(emulator)))
            if service != emulator { found.append(Difference(field: field, service: service, emulator: emulator)) }
        }
        compare("request", service.request.text, emulator.request.text)
        compare("status", service.response.line, emulator.response.line)
        let (left, right) = (service.response.headers, emulator.response.headers)
        for name in Set(left.keys).union(right.keys).subtracting(ignored).sorted() {
            compare(name, left[name] ?? Self.missing, right[name] ?? Self.missing)
        }
        compare("body", service.response.body, emulator.response.body)
        differences = found
        let compared = Set(left.keys).subtracting(ignored).subtracting(["trackingid", "x-ms-correlation-request-id"])
        isEqual =
            found.isEmpty && service.request == emulator.request && service.response.body == emulator.response.body
            && compared.allSatisfy { left[$0] == right[$0] }
    }

    /// Returns a body with the elements of a list in the order of their text, because the order of the service's IDs is random.
    private static func sorted(_ body: String) -> String {
        for element in ["entry", "RegistrationResult"] where body.contains("</\(element)>") {
            guard let start = body.firstRange(of: "<\(element)")?.lowerBound,
                let end = body.ranges(of: "</\(element)>").last?.upperBound, start < end
            else { continue }
            let list = body[start..<end].split(separator: "</\(element)>").map { "\($0)</\(element)>" }
            return body[..<start] + list.sorted().joined() + body[end...]
        }
        return body
    }
}

extension Exchange.Message {
    /// The line and the body.
    fileprivate var text: String { body.isEmpty ? line : "\(line)\n\(body)" }
}
