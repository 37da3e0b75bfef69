import HubText

/// How a token spells what it says: which form of the resource's URL is signed, and how texts are percent-encoded.
///
/// The service checks a signature over the text as it is, and takes what the SDKs of Notification Hubs make. The encodings are
/// here to make a token byte for byte as another library makes it, and to tell by a token which one did; for tokens of your
/// own, ``standard`` is the one to use. Sources: the libraries' own code, as of 2025.
public struct SASEncoding: Hashable, Sendable, CaseIterable {
    /// The name by which tools know it, such as `javascript`.
    public let rawValue: String
    let form: ResourceForm
    let resource: PercentEncoding
    let signature: PercentEncoding
    let keyName: KeyNameForm

    /// What becomes of the key's name.
    enum KeyNameForm: Hashable, Sendable {
        /// Nothing, unless that would break the token; such a name is encoded.
        case asItIs
        case encoded
        case encodedTwice
    }

    private init(
        _ name: String, _ form: ResourceForm, _ resource: PercentEncoding,
        signature: PercentEncoding = .rfc3986, keyName: KeyNameForm = .encoded
    ) {
        (rawValue, self.form, self.resource, self.signature) = (name, form, resource, signature)
        self.keyName = keyName
    }
}

extension SASEncoding {
    /// This library's own: `https`, lower case, without query and trailing slash; percent-encoded by RFC 3986 with
    /// upper-case digits.
    public static let standard = SASEncoding(
        "standard",
        ResourceForm(scheme: "https", isLowercased: true, dropsQuery: true, trailingSlash: .dropped), .rfc3986)

    /// The resource just as it is given; percent-encoded as by ``standard``.
    public static let verbatim = SASEncoding("verbatim", ResourceForm(), .rfc3986)

    /// The .NET SDK of Notification Hubs on .NET Standard: plain `http` and a trailing slash, lower-case digits
    /// (`HttpUtility.UrlEncode`).
    public static let dotNet = SASEncoding(
        "dotnet", .dotNet, form(.lower, marks: "-_.!*()"), signature: .lowerCase)

    /// The same SDK on .NET Framework: upper-case digits (`WebUtility.UrlEncode`).
    public static let dotNetFramework = SASEncoding("dotnet-framework", .dotNet, form(.upper, marks: "-_.!*()"))

    /// The older .NET library of Service Bus: as ``dotNetFramework``, but `https`, and letters in the case that they have.
    public static let serviceBusDotNet = SASEncoding(
        "servicebus-dotnet", ResourceForm(scheme: "https", dropsQuery: true, trailingSlash: .forced),
        form(.upper, marks: "-_.!*()"))

    /// The JavaScript SDK of Notification Hubs: the namespace alone, in lower case (`encodeURIComponent`).
    public static let javaScript = SASEncoding(
        "javascript",
        ResourceForm(
            scheme: "https", isLowercased: true, isNamespaceAlone: true, dropsQuery: true, trailingSlash: .forced),
        PercentEncoding(digits: .upper, marks: "-_.!~*'()", writesSpaceAsPlus: false))

    /// The Java SDK of Notification Hubs: lower-case digits in the resource (`URLEncoder`), the query signed with it, the
    /// key's name not encoded.
    public static let java = SASEncoding(
        "java", ResourceForm(scheme: "https", isLowercased: true), form(.lower, marks: ".-*_"), keyName: .asItIs)

    /// The iOS SDK of Notification Hubs: plain `http`, lower-case digits in the resource, the query signed with it, the
    /// key's name not encoded.
    public static let iOS = SASEncoding(
        "ios", ResourceForm(scheme: "http", isLowercased: true),
        .lowerCase, keyName: .asItIs)

    /// Azure's tutorial for Swift: the URL as it is given, lower-case digits, the key's name not encoded.
    public static let swiftTutorial = SASEncoding(
        "swift-tutorial", ResourceForm(), .lowerCase,
        signature: .lowerCase, keyName: .asItIs)

    /// Go's modules of Service Bus and Event Hubs: lower case and lower-case digits in the resource (`url.QueryEscape`), the
    /// key's name not encoded.
    public static let go = SASEncoding(
        "go", ResourceForm(isLowercased: true), form(.lower, marks: "-_.~"), keyName: .asItIs)

    /// Python's libraries of Service Bus and Event Hubs: the URL as it is given (`quote_plus`), the key's name encoded twice.
    public static let python = SASEncoding(
        "python", ResourceForm(), form(.upper, marks: "_.-~"), keyName: .encodedTwice)

    /// Python's library of IoT Hub: the resource as it is given, mostly without a scheme (`quote_plus`), slashes in the
    /// signature for themselves, the key's name not encoded. IoT Hub decodes the key's base64: see
    /// ``SharedAccessKey/init(name:base64Secret:)``.
    public static let iotHubPython = SASEncoding(
        "python-iot", ResourceForm(), form(.upper, marks: "_.-~"),
        signature: PercentEncoding(digits: .upper, marks: "/", writesSpaceAsPlus: false), keyName: .asItIs)

    /// The older Java library of Event Hubs: the URL as it is given (`URLEncoder`).
    public static let eventHubsJava = SASEncoding("eventhubs-java", ResourceForm(), form(.upper, marks: ".-*_"))

    /// All encodings, this library's own first.
    public static let allCases: [SASEncoding] = [
        .standard, .verbatim, .dotNet, .dotNetFramework, .javaScript, .java, .iOS, .swiftTutorial, .go, .python,
        .iotHubPython, .eventHubsJava, .serviceBusDotNet,
    ]

    /// Percent-encoding as in forms: a space is a plus sign.
    private static func form(_ digits: HexDigitCase, marks: String) -> PercentEncoding {
        PercentEncoding(digits: digits, marks: marks, writesSpaceAsPlus: true)
    }
}

extension SASEncoding {
    /// The text of `sr` for a resource.
    func resourceText(_ resource: String) -> [UInt8] {
        self.resource.encode(form.apply(to: resource))
    }

    /// The text of `skn` for a key's name.
    func keyNameText(_ name: String) -> [UInt8] {
        switch keyName {
        case .asItIs: Self.isSafe(name) ? Array(name.utf8) : resource.encode(name.utf8)
        case .encoded: resource.encode(name.utf8)
        case .encodedTwice: resource.encode(resource.encode(name.utf8))
        }
    }
}

extension SASEncoding {
    /// Whether a token can contain a text unchanged: ASCII without white space and `&`, with percent signs in escapes only.
    private static func isSafe(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "&") }
            && !PercentDecoded(text.utf8).hasInvalidEscape
    }
}

extension ResourceForm {
    /// Plain `http`, lower case, no port, no query, and a trailing slash.
    fileprivate static let dotNet = ResourceForm(
        scheme: "http", isLowercased: true, dropsPort: true, dropsQuery: true, trailingSlash: .forced)
}

/// The form of a resource's URL that is signed. Without any option, the URL is signed as it is given.
struct ResourceForm: Hashable, Sendable {
    /// The scheme in place of the URL's own, if it has one.
    var scheme: String?
    /// Whether ASCII letters become lower-case.
    var isLowercased = false
    /// Whether only scheme, host and port are signed.
    var isNamespaceAlone = false
    var dropsPort = false
    var dropsQuery = false
    var trailingSlash = TrailingSlash.kept

    /// What becomes of a slash at the end.
    enum TrailingSlash: Hashable, Sendable {
        case kept
        case dropped
        case forced
    }

    /// The form of a URL to sign.
    func apply(to url: String) -> [UInt8] {
        let bytes = Array(url.utf8)
        var start: ArraySlice<UInt8> = []
        var rest = bytes[...]
        if let end = URLScheme.end(in: bytes) {
            let separator = bytes[end..<(end + URLScheme.separator.count)]
            start = (scheme.map { Array($0.utf8)[...] } ?? bytes[..<end]) + separator
            rest = bytes[separator.endIndex...]
        }

        if dropsQuery { rest = rest.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") } }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = isNamespaceAlone ? [] : rest[authority.endIndex...]
        var form = start + (dropsPort ? Self.withoutPort(authority) : authority) + path

        switch trailingSlash {
        case .kept: break
        case .dropped: if form.last == UInt8(ascii: "/") { form.removeLast() }
        case .forced: if form.last != UInt8(ascii: "/") { form.append(UInt8(ascii: "/")) }
        }
        return isLowercased ? form.map(\.asciiLowercased) : Array(form)
    }

    private static func withoutPort(_ authority: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        // The last colon that is not part of an IPv6 address.
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            authority[(colon + 1)...].allSatisfy(\.isASCIIDigit)
        else { return authority }
        return authority[..<colon]
    }
}

/// The scheme at a URL's beginning (RFC 3986 §3.1), and what separates it from the host.
enum URLScheme {
    static let separator = Array("://".utf8)

    /// Where the scheme ends; `nil` for a URL without one.
    static func end(in url: [UInt8]) -> Int? {
        let scheme = url.prefix { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
        guard let first = scheme.first, first.isASCIILetterOrDigit, !first.isASCIIDigit,
            url[scheme.endIndex...].starts(with: separator)
        else { return nil }
        return scheme.endIndex
    }
}
