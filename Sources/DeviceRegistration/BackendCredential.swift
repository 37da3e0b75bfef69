#if canImport(FoundationEssentials)
private import struct FoundationEssentials.Data
#else
private import struct Foundation.Data
#endif

import HubText

/// What a user proves to the backend who they are. It is not printed.
public struct BackendCredential: Sendable {
    /// The value of the header `Authorization`.
    let headerValue: String

    /// A name and a password (RFC 7617, in UTF-8).
    ///
    /// - Throws: ``Invalid`` for a name with a colon, or a control character in either: neither can be sent.
    public static func basic(name: String, password: String) throws(Invalid) -> BackendCredential {
        if name.utf8.contains(UInt8(ascii: ":")) {
            throw Invalid(description: "a user's name has no colon: there it ends, and the password begins")
        }
        if (name + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
            throw Invalid(description: "a user's name and password have no control characters")
        }
        let text = Data("\(name):\(password)".utf8).base64EncodedString()
        return BackendCredential(headerValue: "Basic \(text)")
    }

    /// A token that the backend, or somebody whom it trusts, has given out (RFC 6750).
    ///
    /// - Throws: ``Invalid`` for an empty text, or one with anything but letters, digits and `- . _ ~ + / =`.
    public static func bearer(_ token: String) throws(Invalid) -> BackendCredential {
        let marks = Array("-._~+/=".utf8)
        guard !token.isEmpty, token.utf8.allSatisfy({ $0.isASCIILetterOrDigit || marks.contains($0) }) else {
            throw Invalid(description: "a bearer token has letters, digits and - . _ ~ + / = only, and one at least")
        }
        return BackendCredential(headerValue: "Bearer \(token)")
    }

    /// Why a text cannot be sent as a credential.
    public struct Invalid: Error, Hashable, CustomStringConvertible {
        /// What is wrong, in a sentence without the input.
        public let description: String
    }
}

extension BackendCredential: CustomStringConvertible, CustomReflectable {
    /// That there is one, and nothing of it.
    public var description: String { "BackendCredential(redacted)" }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
