import Foundation
import HubTestSupport
@testable import PushBackend
import Testing

@Suite struct AuthenticatorTests {
    /// An authenticator that returns the name and the password in angle brackets as the user's name.
    static let echo = AppBackend.BasicAuthenticator(realm: "tests") { name, password in "<\(name)><\(password)>" }

    private static func name(_ authorization: String?) async throws -> String? {
        guard case .user(let user) = try await echo.authenticate(authorization) else { return nil }
        return user.name
    }

    @Test func `limits the header to 16 KB`() {
        let longest = "Bearer " + String(repeating: "t", count: 16 * 1024 - 7)
        #expect(AuthorizationHeader.credentials(longest, scheme: "Bearer")?.count == 16 * 1024 - 7)
        #expect(AuthorizationHeader.credentials(longest + "t", scheme: "Bearer") == nil)
    }

    @Test(.blocking) func `traps for a realm that cannot be quoted`() async {
        #expect(AuthorizationHeader.quoted(" !#[]~") == "\" !#[]~\"")
        await #expect(processExitsWith: .failure) { _ = AuthorizationHeader.quoted("a\"b") }
        await #expect(processExitsWith: .failure) { _ = AuthorizationHeader.quoted("a\\b") }
        await #expect(processExitsWith: .failure) { _ = AuthorizationHeader.quoted("a\nb") }
        await #expect(processExitsWith: .failure) { _ = AuthorizationHeader.quoted("a\u{7f}b") }
    }

    @Test(arguments: [
        ("Basic YTpi", "<a><b>"), ("basic YTpi", "<a><b>"), ("BASIC   YTpi", "<a><b>"),
        // The example of RFC 7617 §2, and that of §2.1 in UTF-8.
        ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "<Aladdin><open sesame>"), ("Basic dGVzdDoxMjPCow==", "<test><123£>"),
        // A password with colons, an empty password, and an empty name.
        ("Basic YTpiOmM6", "<a><b:c:>"), ("Basic YTo=", "<a><>"), ("Basic OmI=", "<><b>"),
    ])
    func `decodes names and passwords`(authorization: String, expected: String) async throws {
        #expect(try await Self.name(authorization) == expected)
    }

    @Test(arguments: [
        nil, "", "Basic", "Basic ", "BasicYTpi", "Bearer YTpi", "Basic YWI=", "Basic YTpi!", "Basic YTpi YTpi",
        "Basic YTp",
        // Latin-1, a lone surrogate, a NUL in the name, a line break in the password.
        "Basic 6To=", "Basic 7aCAOmI=", "Basic AGE6Yg==", "Basic YTpiCg==",
        "Basic " + String(repeating: "YTpi", count: 5000),
    ])
    func `rejects invalid Basic credentials with a challenge`(authorization: String?) async throws {
        guard case .refused(let challenge) = try await Self.echo.authenticate(authorization) else {
            Issue.record("accepted")
            return
        }
        #expect(challenge == #"Basic realm="tests", charset="UTF-8""#)
    }

    @Test func `uses the name that the closure returns`() async throws {
        let authenticator = AppBackend.BasicAuthenticator { name, _ in name.lowercased() }
        guard case .user(let user) = try await authenticator.authenticate("Basic QWxhZGRpbjpv") else {
            Issue.record("rejected")
            return
        }
        #expect(user.name == "aladdin")
    }

    @Test(
        arguments: [
            ("Bearer good", "alice", ""), ("bearer good", "alice", ""),
            (nil, nil, #"Bearer realm="app""#), ("Basic YTpi", nil, #"Bearer realm="app""#),
            ("Bearer expired", nil, #"Bearer realm="app", error="invalid_token""#),
            ("Bearer good good", nil, #"Bearer realm="app", error="invalid_token""#),
            ("Bearer g\u{f6}d", nil, #"Bearer realm="app", error="invalid_token""#),
            ("Bearer ", nil, #"Bearer realm="app", error="invalid_token""#),
        ] as [(String?, String?, String)])
    func `verifies bearer tokens`(authorization: String?, name: String?, challenge: String) async throws {
        let authenticator = AppBackend.BearerAuthenticator { $0 == "good" ? "alice" : nil }
        switch try await authenticator.authenticate(authorization) {
        case .user(let user): #expect(user.name == name)
        case .refused(let actual): #expect(name == nil && actual == challenge)
        }
    }

    @Test func `omits the closure's captured values from descriptions`() {
        let password = "open sesame"
        let printed = everythingPrinted(
            of: AppBackend.BasicAuthenticator { name, given in given == password ? name : nil })
        #expect(!printed.contains(password))
        #expect(printed.contains("realm"))
    }
}
