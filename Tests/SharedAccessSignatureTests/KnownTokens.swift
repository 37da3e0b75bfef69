import HubTestSupport
import SharedAccessSignature
import Testing

/// A token that another library signed, with its claims and key.
struct KnownToken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: SharedAccessKey
    let url: String
    let encoding: SASEncoding
    let expiry: Int64
    let token: String

    static let all = Result {
        try Vectors.cases("sas/tokens.vectors", fields: ["key", "keyName", "url", "encoding", "expiry", "token"])
            .map(KnownToken.init)
    }

    private init(_ vector: Vectors.Case) throws {
        testDescription = vector.description
        key = SharedAccessKey(name: try vector.text("keyName"), secret: try vector.text("key"))
        url = try vector.text("url")
        let name = try vector.text("encoding")
        encoding = try #require(SASEncoding.allCases.first { $0.rawValue == name })
        expiry = try #require(Int64(try vector.text("expiry")))
        token = try vector.text("token")
    }
}
