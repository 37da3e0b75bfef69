import HubCrypto
import HubText
import SharedAccessSignature

/// The position and properties of a found secret, without the secret itself.
package struct SecretMatch: Hashable {
    /// A kind of secret. The raw values are part of the JSON output of `sas audit`.
    package enum Kind: String, CaseIterable {
        /// A token of Notification Hubs, Service Bus, Event Hubs, Relay or IoT Hub.
        case token
        /// A connection string with a shared access key.
        case connectionString
        /// A shared access key outside a connection string.
        case key
        /// A shared access signature of Azure Storage.
        case storageToken
        /// The key of a storage account or a Cosmos DB account, alone or in a connection string.
        case accountKey
        /// A key of another Azure service, such as Azure SignalR or Azure Functions.
        case serviceKey
        /// A client secret of an application in Microsoft Entra ID.
        case clientSecret
    }

    package let kind: Kind
    /// The offsets of the secret's bytes in the input.
    package internal(set) var range: Range<Int>
    /// Whether the range is that of compressed text, which can contain several secrets.
    var isCompressed = false
    /// The token's resource or the connection string's host.
    package var resource: String?
    package var keyName: String?
    /// The Azure service of a ``Kind/serviceKey``.
    package var service: String?
    /// The token's expiry, in seconds since 1970 UTC.
    package var expiry: Int64?
    /// A string of 16 hexadecimal digits that is equal for equal keys or equal signatures.
    package let fingerprint: String

    /// Whether the secret is the published key of an emulator.
    package var isPublic: Bool { Self.publicFingerprints.contains(fingerprint) }

    /// The keys of Azurite, of the Cosmos DB emulator and of this package's emulator, which their documentation publishes.
    private static let publicFingerprints: Set = [
        "4e6f58776ef94b8f", "f7848556bf1b8f08", "0f791753e68e2c37", "4c4d9db02efda5af",
        "af9bcda4bbba5a0b",
    ]

    /// Returns an identifier of a key that does not reveal it.
    package static func fingerprint(ofKey key: [UInt8]) -> String {
        SharedAccessKey(name: "", secret: key.lossyText).fingerprint
    }

    /// Returns an identifier of a signature, given as 43 characters of unpadded Base64 in either alphabet.
    static func fingerprint(ofSignature text: [UInt8]) -> String {
        let standard = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        return String(SHA256.hash(data: standard + [UInt8(ascii: "=")]).description.prefix(16))
    }
}
