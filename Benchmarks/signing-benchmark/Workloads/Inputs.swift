/// The bytes that are hashed and signed: the same that other libraries are measured on.
enum Inputs {
    static let resource = "https://contoso-prod.servicebus.windows.net/push-hub"
    static let keyName = "DefaultFullSharedAccessSignature"
    static let secret = "5v8y/B?E(H+MbQeThWmZq4t7w9z$C&F)J@NcRfUjXn2r"
    static let expiry: Int64 = 1_790_000_000

    /// The 71 bytes that a token's signature is made of, for an expiry some seconds later.
    static func stringToSign(later seconds: Int = 0) -> [UInt8] {
        Array("https%3A%2F%2Fcontoso-prod.servicebus.windows.net%2Fpush-hub\n\(expiry + Int64(seconds))".utf8)
    }

    /// A message to hash.
    static func message(byteCount: Int) -> [UInt8] {
        [UInt8](repeating: 7, count: byteCount)
    }

    /// How many messages a batch has.
    static let batchCount = 16
    /// As many resources, just as long as the one.
    static let batchedResources = "abcdefghijklmnop".map { String(resource.dropLast()) + String($0) }
    /// How many tokens are signed, one second apart, before the expiry starts again.
    static let tokenCount = 256
}
