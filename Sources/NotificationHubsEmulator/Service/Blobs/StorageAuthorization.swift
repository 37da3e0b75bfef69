import HubCrypto
import HubText
import NotificationHubs
import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// The authorization of requests to a storage account: Shared Key, and the shared access signatures of accounts, containers and
/// blobs.
///
/// It does not support access policies of containers (`si`), and signatures that require a client's address (`sip`) or
/// a user delegation key.
struct StorageAuthorization: Sendable {
    typealias BlobError = HubEmulator.BlobError

    private let account: HubEmulator.StorageAccount
    private let key: HMAC.Key

    init(_ account: HubEmulator.StorageAccount) {
        self.account = account
        key = HMAC.Key(data: account.secret)
    }

    /// Returns the operations that a request's credential permits on a target.
    func access(to target: BlobRequest.Target, by request: HubRequest, now: Date) throws(BlobError) -> BlobAccess {
        if let header = request.headers["Authorization"] {
            try checkSharedKey(header, request, now: now)
            return .account
        }
        let query = QueryString(request.query)
        guard let signature = query["sig"] else {
            throw BlobError(
                401, "NoAuthenticationInformation", "missing Authorization header or shared access signature")
        }
        if let name = query.duplicateName {
            throw Self.failed("duplicate query parameter \(name == "sig" ? name : "")")
        }
        for name in ["si", "sip", "skoid"] where query[name] != nil {
            throw Self.failed("the emulator does not support signatures with \(name)")
        }
        let text = try query["ss"] == nil ? serviceText(query, target) : accountText(query)
        try check(signature, of: text)
        try Self.checkValidity(query, request, now: now)
        return .signature(
            permissions: Set(query["sp"] ?? ""), resourceTypes: query["ss"] == nil ? nil : Set(query["srt"] ?? ""))
    }

    private func checkSharedKey(_ header: String, _ request: HubRequest, now: Date) throws(BlobError) {
        let words = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        let parts = words.count == 2 ? words[1].split(separator: UInt8(ascii: ":"), maxSplits: 1) : []
        guard parts.count == 2, words[0].elementsEqual("SharedKey".utf8) else {
            throw Self.failed("expected Authorization: SharedKey ACCOUNT:SIGNATURE")
        }
        guard parts[0].elementsEqual(account.name.utf8) else { throw Self.failed("unknown account name") }
        guard let version = request.headers["x-ms-version"], Self.isVersion(version), version >= "2015-02-21" else {
            throw BlobError(
                400, "InvalidHeaderValue", "x-ms-version must be a version from 2015-02-21, such as 2023-11-03")
        }
        let text = StorageStringToSign.text(of: request, account: account.name)
        try check(String(Substring(parts[1])), of: text)
        guard let date = (request.headers["x-ms-date"] ?? request.headers["Date"]).flatMap(HTTPDate.time),
            abs(date.date.timeIntervalSince(now)) <= 15 * 60
        else { throw Self.failed("x-ms-date must be within 15 minutes of the emulator's clock") }
    }

    /// Returns the string to sign of a service signature.
    ///
    /// Source: [Create a service SAS](https://learn.microsoft.com/rest/api/storageservices/create-service-sas).
    private func serviceText(_ query: QueryString, _ target: BlobRequest.Target) throws(BlobError) -> String {
        let version = try Self.version(query)
        var resource = "/blob/\(account.name)/\(target.container)"
        switch query["sr"] {
        case "b": resource += "/" + target.blob.lossyText
        case "c": break
        default: throw Self.failed("sr must be b or c")
        }
        let encryptionScope = version >= "2020-12-06" ? [query["ses"] ?? ""] : []
        let fields =
            ["sp", "st", "se"].map { query[$0] ?? "" } + [resource]
            + ["si", "sip", "spr", "sv", "sr", "sst"].map { query[$0] ?? "" } + encryptionScope
            + ["rscc", "rscd", "rsce", "rscl", "rsct"].map { query[$0] ?? "" }
        return fields.joined(separator: "\n")
    }

    /// Returns the string to sign of an account signature.
    ///
    /// Source: [Create an account SAS](https://learn.microsoft.com/rest/api/storageservices/create-account-sas).
    private func accountText(_ query: QueryString) throws(BlobError) -> String {
        let version = try Self.version(query)
        guard query["ss"]?.utf8.contains(UInt8(ascii: "b")) == true else { throw Self.failed("ss must contain b") }
        let names = ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv"] + (version >= "2020-12-06" ? ["ses"] : [])
        return account.name + "\n" + names.map { (query[$0] ?? "") + "\n" }.joined()
    }

    private static func version(_ query: QueryString) throws(BlobError) -> String {
        guard let version = query["sv"], isVersion(version), version >= "2018-11-09" else {
            throw failed("sv must be a version from 2018-11-09, such as 2023-11-03")
        }
        return version
    }

    private static func isVersion(_ text: String) -> Bool {
        Timestamp(text + "T00:00:00Z") != nil && text.utf8.count == 10
    }

    /// Throws unless a string to sign has a signature. The comparison's duration does not reveal the signature.
    private func check(_ signature: String, of text: String) throws(BlobError) {
        var code: [UInt8] = []
        guard signature.withBytes({ Base64.decodeCanonical($0, into: &code) }),
            key.isValidAuthenticationCode(code, authenticating: text.utf8)
        else {
            throw Self.failed(
                "the signature does not match; the string to sign is \(JSONValue.string(text).bytes.lossyText)")
        }
    }

    private static func checkValidity(_ query: QueryString, _ request: HubRequest, now: Date) throws(BlobError) {
        guard let end = query["se"].flatMap(time), end.date > now else { throw failed("se is missing or has passed") }
        if let text = query["st"] {
            guard let start = time(text), start.date <= now else { throw failed("st is invalid or in the future") }
        }
        guard query["spr"] != "https" || !request.endpoint.isDevelopmentEmulator else {
            throw BlobError(403, "AuthorizationProtocolMismatch", "the signature requires https (spr=https)")
        }
    }

    /// Returns a time such as `2026-01-31T12:00Z` or `2026-01-31`.
    private static func time(_ text: String) -> Timestamp? {
        Timestamp(text.utf8.count == 10 ? text + "T00:00Z" : text)
    }

    private static func failed(_ reason: String) -> BlobError { BlobError(403, "AuthenticationFailed", reason) }
}
