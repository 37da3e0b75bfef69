import HubText
@testable import SharedAccessSignature

/// A fuzz test that parses the text after a line feed as a resource, and checks it against the text before the line feed
/// as a token's `sr`.
enum ResourcePart {
    static func check(_ input: [UInt8]) {
        let (first, second) = input.halves
        checkCoverage(of: second.text, by: first)
        checkOwnTokens(second.text)
    }

    private static func resource(_ text: String) -> (SASResource, NaiveResource)? {
        let naive = NaiveResource(Array(text.utf8))
        do {
            let resource = try SASResource(text)
            guard let naive else { fatalError("fuzz failure: an invalid resource is accepted") }
            return (resource, naive)
        } catch {
            require(naive == nil, "a valid resource is rejected: \(error)")
            return nil
        }
    }

    /// Checks whether an `sr` covers a resource. The `sr` is raw or encoded, and surrounded by other bytes.
    private static func checkCoverage(of text: String, by sr: [UInt8]) {
        guard let (resource, naive) = resource(text) else { return }
        for raw in [sr, PercentEncoding.rfc3986.encode(sr)] {
            let granted = NaiveResource(NaiveCodec.decode(raw, form: true).bytes)
            let token = ContiguousArray("a/%2".utf8) + raw + "/2f%2Fb".utf8
            let isCovered = resource.isCovered(by: 4..<(4 + raw.count), of: token.span, ignoringPort: false)
            require(isCovered == granted?.covers(naive) ?? false, "wrong coverage: \(isCovered)")
        }
    }

    /// Checks that a resource covers itself in every encoding.
    private static func checkOwnTokens(_ text: String) {
        guard let (resource, _) = resource(text) else { return }
        for encoding in SASEncoding.allCases {
            let sr = ContiguousArray(encoding.resourceText(text))
            require(
                // Some encodings omit the port.
                resource.isCovered(by: sr.indices, of: sr.span, ignoringPort: true),
                "\(encoding.rawValue): a resource does not cover itself")
        }
    }
}
