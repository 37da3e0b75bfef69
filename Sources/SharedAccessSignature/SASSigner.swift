import HubCrypto

/// Signs tokens for one resource with one key.
///
/// ```swift
/// let signer = try SASSigner(key: connection.key, endpoint: connection.endpoint, hub: "push")
/// request.setValue(signer.token(validFor: .seconds(3600)).headerValue, forHTTPHeaderField: "Authorization")
/// ```
public struct SASSigner: Sendable {
    private let key: SharedAccessKey
    /// What is signed, up to the expiry: the resource, percent-encoded (RFC 3986, upper-case digits), and a line feed.
    private let signedPrefix: [UInt8]
    /// A token's text up to the signature.
    private let head: [UInt8]
    /// Where the resource stands in it.
    private let rawResource: Range<Int>
    /// A token's text behind the expiry.
    private let tail: [UInt8]

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
        var tail = SASToken.keyNameField
        PercentEncoding.append(key.name.utf8, to: &tail)
        let start = Array("SharedAccessSignature sr=".utf8)

        self.key = key
        signedPrefix = encodedResource + [UInt8(ascii: "\n")]
        head = start + encodedResource + Array("&sig=".utf8)
        rawResource = start.count..<(start.count + encodedResource.count)
        self.tail = tail
    }

    /// A token that ends at a given time. Its text is all that is allocated.
    ///
    /// - Parameter expiry: seconds since 1970 UTC, not negative.
    public func token(expiringAt expiry: Int64) -> SASToken {
        precondition(expiry >= 0, "a token's expiry is a time since 1970")
        return unsafe DecimalDigits.of(expiry) { digits in
            var mac = HMAC(key: key.hmacKey)
            mac.update(data: signedPrefix)
            unsafe mac.update(bufferPointer: UnsafeRawBufferPointer(digits))
            return unsafe SASToken(
                head: head, rawResource: rawResource, code: mac.finalize(), expiry: expiry, digits: digits, tail: tail)
        }
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
        "SASSigner(sr: \(String(decoding: head[rawResource], as: UTF8.self)), key: \(key))"
    }

    /// What is signed for, and by whom; not the key.
    public var debugDescription: String { description }
}
