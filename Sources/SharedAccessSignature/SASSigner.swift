import HubCrypto

/// Signs tokens for one resource with one key.
///
/// ```swift
/// let signer = try SASSigner(key: connection.key, endpoint: connection.endpoint, hub: "push")
/// request.setValue(signer.token(validFor: .seconds(3600)).headerValue, forHTTPHeaderField: "Authorization")
/// ```
public struct SASSigner: Sendable {
    /// The resource, percent-encoded (RFC 3986, upper-case digits): what a token has as `sr`.
    private let encodedResource: [UInt8]
    private let encodedKeyName: [UInt8]
    private let key: SharedAccessKey

    /// Signs for a hub, as `https://HOST/HUB` in lower case, without a port: of the forms that the official SDKs use, the
    /// one that serves every call to the hub.
    ///
    /// - Throws: ``InvalidHubName`` if the name has anything but letters, digits and `. - _` in ASCII.
    public init(key: SharedAccessKey, endpoint: ServiceEndpoint, hub: String) throws(InvalidHubName) {
        let marks = Array(".-_".utf8)
        guard !hub.isEmpty, hub.utf8.allSatisfy({ $0.isASCIILetterOrDigit || marks.contains($0) }) else {
            throw InvalidHubName()
        }
        self.init(key: key, resource: "https://\(endpoint.host)/\(hub.lowercased())")
    }

    /// A hub's name that no hub can have.
    public struct InvalidHubName: Error, Hashable, CustomStringConvertible {
        /// What is wrong, in one line.
        public var description: String { "a hub's name has letters, digits and . - _ only, and one character at least" }
    }

    /// Signs for a resource exactly as it is given; only percent-encoding is added.
    public init(key: SharedAccessKey, resource: String) {
        var encodedResource: [UInt8] = []
        PercentEncoding.append(resource.utf8, to: &encodedResource)
        var encodedKeyName: [UInt8] = []
        PercentEncoding.append(key.name.utf8, to: &encodedKeyName)
        self.key = key
        self.encodedResource = encodedResource
        self.encodedKeyName = encodedKeyName
    }

    /// A token that ends at a given time.
    ///
    /// - Parameter expiry: seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASToken {
        precondition(expiry >= 0, "a token's expiry is a time since 1970")
        let expiryText = Array(String(expiry).utf8)
        var mac = HMAC(key: key.hmacKey)
        mac.update(data: encodedResource)
        mac.update(data: CollectionOfOne(UInt8(ascii: "\n")))
        mac.update(data: expiryText)
        let signature = mac.finalize()

        var text = Array("SharedAccessSignature sr=".utf8)
        let rawResource = text.appendField(encodedResource)
        text += Array("&sig=".utf8)
        PercentEncoding.append(Base64.encode(signature), to: &text)
        text += Array("&se=".utf8)
        let rawExpiry = text.appendField(expiryText)
        text += Array("&skn=".utf8)
        let rawKeyName = text.appendField(encodedKeyName)
        return SASToken(
            headerValue: String(decoding: text, as: UTF8.self),
            rawResource: rawResource, rawExpiry: rawExpiry, rawKeyName: rawKeyName,
            signature: Array(signature), expiry: expiry)
    }

    /// A token that ends after a given time.
    ///
    /// - Parameters:
    ///   - lifetime: how long the token is valid, in whole seconds; what is below a second is dropped, and what leads
    ///     before 1970 or beyond the last second there is ends there.
    ///   - now: seconds since 1970 UTC; the system's clock if `nil`.
    public func token(validFor lifetime: Duration, now: Int64? = nil) -> SASToken {
        token(expiringAt: max(0, (now ?? SystemClock.now()).addingSaturated(lifetime.components.seconds)))
    }
}

extension SASSigner: CustomStringConvertible, CustomDebugStringConvertible {
    /// What is signed for, and by whom; not the key.
    public var description: String {
        "SASSigner(sr: \(String(decoding: encodedResource, as: UTF8.self)), key: \(key))"
    }

    /// What is signed for, and by whom; not the key.
    public var debugDescription: String { description }
}

extension [UInt8] {
    fileprivate mutating func appendField(_ value: [UInt8]) -> Range<Int> {
        let start = count
        append(contentsOf: value)
        return start..<count
    }
}
