/// Words around a value that indicate its kind, in lower case without spaces, `_` and `-`.
struct KeyHints {
    /// Words that indicate that a value with the name of a key is a key of Azure.
    let services: [ContiguousArray<UInt8>]
    /// The domains of services whose keys are recognized without a name.
    let domains: [ContiguousArray<UInt8>]

    private init(services: [String], domains: [String]) {
        self.services = services.map { ContiguousArray($0.utf8) }
        self.domains = domains.map { ContiguousArray($0.utf8) }
    }

    /// Returns the words for keys of a size.
    static func `for`(_ size: AzureKey.Size) -> KeyHints {
        switch size {
        case .shared: shared
        case .account: account
        }
    }

    private static let shared = KeyHints(
        services: [
            "servicebus", "notificationhub", "eventhub", "iothub", "azuredevices", "sharedaccess", "hubname", "sb://",
            "hybridconnection", "relay", "azureiot", "windowsazure",
        ], domains: ["servicebus.windows.net", "azuredevices.net"])

    private static let account = KeyHints(
        services: [
            "core.windows.net", "accountname", "accountkey", "storage", "azurewebjobs", "blob", "cosmos", "documentdb",
            "documents.azure", "azuredatalake",
        ], domains: ["core.windows.net", "documents.azure.com"])

    /// Words near keys without a name, such as the header of a table.
    static let keys = ["key", "secret", "policy", "sas"].map { ContiguousArray($0.utf8) }
    /// Words near values of other kinds without a name.
    static let others = ["sha256", "sha512", "hash", "checksum", "digest", "integrity", "pinset"].map {
        ContiguousArray($0.utf8)
    }
}
