import HubText

/// The evidence that an identifier gives about the value that follows it.
struct KeyName {
    /// Evidence for or against a key of Azure.
    enum Evidence {
        /// The name of something else, such as a hash.
        case against
        /// No evidence.
        case none
        /// A key, possibly of another service.
        case weak
        /// A key of Azure.
        case strong
    }

    let evidence: Evidence

    /// Examines the words of an identifier.
    init(_ words: [String], _ size: AzureKey.Size) {
        let joined = words.joined()
        let products = size == .shared ? Self.hubWords : Self.accountWords
        if Self.contains(joined, "sharedaccess"), !Self.contains(joined, "presharedaccess") {
            evidence = size == .shared ? .strong : .weak
        } else if words.contains(where: Self.isOther) || Self.contains(joined, "publickey") {
            evidence = .against
        } else if words.contains(where: Self.secretWords.contains) || joined.hasSuffix("key") || Self.isKeyName(words) {
            evidence = words.contains(where: products.contains) || Self.isProduct(joined, size) ? .strong : .weak
        } else {
            evidence = .none
        }
    }

    /// Returns whether a word belongs to another kind of value. Digits at its end are ignored, as in `sha256`, and so is the word
    /// for a secret, as in `pubkey`.
    private static func isOther(_ word: String) -> Bool {
        let stem = withoutDigits(word)
        if otherWords.contains(word) || stem.utf8.count < word.utf8.count && otherWords.contains(String(stem)) {
            return true
        }
        guard let start = withoutFinalWord(stem), !start.isEmpty else { return false }
        return otherWords.contains(String(start))
    }

    private static func withoutDigits(_ word: String) -> Substring {
        var stem = Substring(word)
        while let last = stem.utf8.last, last.isASCIIDigit { stem = stem.dropLast() }
        return stem
    }

    /// Returns a word without `key` or `secret` at its end, or `nil` for another word.
    private static func withoutFinalWord(_ word: Substring) -> Substring? {
        for final in ["key", "secret"] where word.utf8.suffix(final.utf8.count).elementsEqual(final.utf8) {
            return word.dropLast(final.utf8.count)
        }
        return nil
    }

    /// Returns whether an identifier ends in the word `key` or `secret`, in any spelling. Numbers and words for the format are ignored
    /// at its end. The word `key` alone is not such a name, because it is also that of a dictionary's keys.
    static func isKeyName(_ words: [String]) -> Bool {
        let words = words.drop { isGeneric($0) }
        guard let last = words.last(where: { !formatWords.contains($0) && !withoutDigits($0).isEmpty }) else {
            return false
        }
        let stem = withoutDigits(last)
        return withoutFinalWord(stem) != nil && (words.count > 1 || stem != "key")
    }

    /// Returns whether a word tells nothing about a value.
    static func isGeneric(_ word: String) -> Bool { genericWords.contains(word) }

    private static func isProduct(_ joined: String, _ size: AzureKey.Size) -> Bool {
        let names =
            size == .shared
            ? ["hubkey", "saskey", "servicebuskey", "hubskey", "iothub", "symmetrickey", "primarykey", "secondarykey"]
            : ["accountkey", "storagekey", "primarykey", "secondarykey"]
        return names.contains { contains(joined, $0) }
    }

    private static func contains(_ text: String, _ word: String) -> Bool {
        Array(text.utf8).firstIndex(ignoringCase: word) != nil
    }

    /// The words for the format of a value, after the name of a key.
    private static let formatWords: Set<String> = ["value", "base", "base64", "b64"]
    private static let secretWords: Set<String> = [
        "key", "keys", "key1", "key2", "secret", "sas", "password", "pwd", "credential", "policy",
    ]
    private static let hubWords: Set<String> = [
        "shared", "sas", "hub", "hubs", "servicebus", "bus", "sb", "asb", "eventhub", "eventhubs", "eh", "iot",
        "iothub",
        "dps", "relay", "azure", "az", "nh", "notification", "notifications",
    ]
    private static let accountWords: Set<String> = [
        "account", "storage", "store", "blob", "azure", "webjobs", "cosmos", "key1", "key2",
    ]
    private static let otherWords: Set<String> = [
        "hash", "hashes", "sha", "md", "digest", "checksum", "integrity", "crc", "etag", "etags", "fingerprint",
        "thumbprint",
        "public", "pub", "private", "preshared", "psk", "cert", "certificate", "nonce", "salt", "iv", "jwt", "jwk",
        "jwks", "x5t",
        "websocket", "cookie", "session", "csrf", "xsrf", "encryption", "encrypt", "encrypted", "enc", "decrypt",
        "decryption",
        "validation", "crypto", "cipher", "aes", "gcm", "hmac", "scram", "vapid", "p256dh", "signature", "kid",
        "fernet",
        "wireguard", "h1", "dnskey", "rrsig", "modulus", "challenge", "sri", "partition", "row", "routing",
        "correlation", "cache",
        "sort", "foreign", "lookup", "verify", "verifying", "verification", "peer", "license", "aeg", "instrumentation",
        "idempotency", "pin", "pins",
    ]
    private static let genericWords: Set<String> = [
        "value", "values", "string", "str", "const", "final", "static", "public", "let", "var", "val", "default",
        "text",
        "data", "type", "is", "nsstring", "std", "env", "export", "set", "setenv", "true", "false", "slot", "setting",
        "null", "nil", "name", "private", "protected", "internal", "readonly", "define", "u0022", "u003d", "u003c",
        "u003e", "3d", "253d", "22", "20", "quot", "amp", "lt", "gt",
        "34", "39", "n",
        "t", "r", "echo", "add", "char", "byte", "new", "of", "the", "to", "in", "a", "secure", "object", "literal",
    ]
}

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
