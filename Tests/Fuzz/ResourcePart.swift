import HubText
@testable import SharedAccessSignature

/// A resource behind a line feed, and before it the text of a token's `sr`, or a resource to sign a token for.
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
            guard let naive else { fatalError("broken: a resource is taken that is none") }
            return (resource, naive)
        } catch {
            require(naive == nil, "a resource is refused: \(error)")
            return nil
        }
    }

    /// The text before the line feed as `sr`, as it is and encoded, with other bytes around it.
    private static func checkCoverage(of text: String, by sr: [UInt8]) {
        guard let (resource, naive) = resource(text) else { return }
        for raw in [sr, PercentEncoding.rfc3986.encode(sr)] {
            let granted = NaiveResource(NaiveCodec.decode(raw, form: true).bytes)
            let token = Array("a/%2".utf8) + raw + Array("/2f%2Fb".utf8)
            let isCovered = resource.isCovered(by: 4..<(4 + raw.count), of: token.span)
            require(isCovered == granted?.covers(naive) ?? false, "covered: \(isCovered), and that is wrong")
        }
    }

    /// A resource is covered by a token for it, and by one for its namespace, in every encoding.
    private static func checkOwnTokens(_ text: String) {
        guard let (resource, _) = resource(text) else { return }
        for encoding in SASEncoding.allCases {
            let sr = encoding.resourceText(text)
            require(
                resource.isCovered(by: sr.indices, of: sr.span),
                "\(encoding.rawValue): a resource does not cover itself")
        }
    }
}
