/// The inputs to hash and sign, the same as for the other libraries.
enum Inputs {
    static let resource = "https://contoso-prod.servicebus.windows.net/push-hub"
    static let keyName = "DefaultFullSharedAccessSignature"
    static let secret = "5v8y/B?E(H+MbQeThWmZq4t7w9z$C&F)J@NcRfUjXn2r"
    static let expiry: Int64 = 1_790_000_000

    /// Returns the 71 bytes that a token's signature covers.
    ///
    /// - Parameter seconds: The number of seconds to add to ``expiry``.
    static func stringToSign(expiryOffset seconds: Int = 0) -> [UInt8] {
        Array("https%3A%2F%2Fcontoso-prod.servicebus.windows.net%2Fpush-hub\n\(expiry + Int64(seconds))".utf8)
    }

    /// Returns a message to hash.
    static func message(byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 7, count: byteCount)
    }

    /// The number of messages in a batch.
    static let batchCount = 16
    /// A batch of resources, each as long as ``resource``.
    static let batchedResources = "abcdefghijklmnop".map { String(resource.dropLast()) + String($0) }
    /// The number of tokens to sign, with expiries one second apart, before the expiry starts over.
    static let tokenCount = 256
}
