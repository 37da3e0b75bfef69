import HubText

/// The text format of a token: the form of the signed URL and its percent-encoding.
///
/// Use ``standard`` for new tokens. Use the other encodings to reproduce the tokens of other libraries byte for byte,
/// or to identify the library that signed a token. The service verifies the signature over the undecoded text, and
/// accepts the encodings of the Notification Hubs SDKs. Source: the libraries' code as of 2025.
public struct SASEncoding: Hashable, Sendable, CaseIterable {
    /// The name of the encoding in command-line tools, such as `javascript`.
    public let rawValue: String
    let form: ResourceForm
    let resource: PercentEncoding
    let signature: PercentEncoding
    let keyName: KeyNameForm

    /// The encoding of the key's name.
    enum KeyNameForm: Hashable, Sendable {
        /// Unencoded, unless the token would be malformed.
        case verbatim
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
    /// This library's encoding: `https`, lower case, no query, no trailing slash; RFC 3986 percent-encoding with upper-case
    /// digits.
    public static let standard = SASEncoding(
        "standard",
        ResourceForm(scheme: "https", isLowercased: true, dropsQuery: true, trailingSlash: .dropped), .rfc3986)

    /// The unchanged URL, percent-encoded like ``standard``.
    public static let verbatim = SASEncoding("verbatim", ResourceForm(), .rfc3986)

    /// The .NET SDK of Notification Hubs on .NET Standard: `http`, a trailing slash, lower-case digits
    /// (`HttpUtility.UrlEncode`).
    public static let dotNet = SASEncoding(
        "dotnet", .dotNet, form(.lower, marks: "-_.!*()"), signature: .lowerCase)

    /// The .NET SDK of Notification Hubs on .NET Framework: like ``dotNet`` with upper-case digits (`WebUtility.UrlEncode`).
    public static let dotNetFramework = SASEncoding("dotnet-framework", .dotNet, form(.upper, marks: "-_.!*()"))

    /// The older .NET library of Service Bus: like ``dotNetFramework``, but with `https`, the port and unchanged letter case.
    public static let serviceBusDotNet = SASEncoding(
        "servicebus-dotnet", ResourceForm(scheme: "https", dropsQuery: true, trailingSlash: .forced),
        form(.upper, marks: "-_.!*()"))

    /// The JavaScript SDK of Notification Hubs: only the namespace, in lower case (`encodeURIComponent`).
    public static let javaScript = SASEncoding(
        "javascript",
        ResourceForm(
            scheme: "https", isLowercased: true, isNamespaceAlone: true, dropsQuery: true, trailingSlash: .forced),
        PercentEncoding(digits: .upper, marks: "-_.!~*'()", writesSpaceAsPlus: false))

    /// The Java SDK of Notification Hubs: lower-case digits in the resource (`URLEncoder`), the query included, the key name
    /// unencoded.
    public static let java = SASEncoding(
        "java", ResourceForm(scheme: "https", isLowercased: true), form(.lower, marks: ".-*_"), keyName: .verbatim)

    /// The iOS SDK of Notification Hubs: `http`, lower-case digits in the resource, the query included, the key name unencoded.
    public static let iOS = SASEncoding(
        "ios", ResourceForm(scheme: "http", isLowercased: true),
        .lowerCase, keyName: .verbatim)

    /// Azure's Swift tutorial: the unchanged URL, lower-case digits, the key name unencoded.
    public static let swiftTutorial = SASEncoding(
        "swift-tutorial", ResourceForm(), .lowerCase,
        signature: .lowerCase, keyName: .verbatim)

    /// The Go modules of Service Bus and Event Hubs: lower case and lower-case digits in the resource (`url.QueryEscape`), the
    /// key name unencoded.
    public static let go = SASEncoding(
        "go", ResourceForm(isLowercased: true), form(.lower, marks: "-_.~"), keyName: .verbatim)

    /// The Python libraries of Service Bus and Event Hubs: the unchanged URL (`quote_plus`), the key name encoded twice.
    public static let python = SASEncoding(
        "python", ResourceForm(), form(.upper, marks: "_.-~"), keyName: .encodedTwice)

    /// The older Java library of Event Hubs: the unchanged URL (`URLEncoder`).
    public static let eventHubsJava = SASEncoding("eventhubs-java", ResourceForm(), form(.upper, marks: ".-*_"))

    /// All encodings, starting with ``standard``.
    public static let allCases: [SASEncoding] = [
        .standard, .verbatim, .dotNet, .dotNetFramework, .javaScript, .java, .iOS, .swiftTutorial, .go, .python,
        .eventHubsJava, .serviceBusDotNet,
    ]

    /// Returns a form encoding, which encodes a space as a plus sign.
    private static func form(_ digits: HexDigitCase, marks: String) -> PercentEncoding {
        PercentEncoding(digits: digits, marks: marks, writesSpaceAsPlus: true)
    }
}

extension SASEncoding {
    /// Returns the value of `sr` for a resource.
    func resourceText(_ resource: String) -> [UInt8] {
        self.resource.encode(form.apply(to: resource))
    }

    /// Returns the value of `skn` for a key's name.
    func keyNameText(_ name: String) -> [UInt8] {
        switch keyName {
        case .verbatim: Self.isSafe(name) ? Array(name.utf8) : resource.encode(name.utf8)
        case .encoded: resource.encode(name.utf8)
        case .encodedTwice: resource.encode(resource.encode(name.utf8))
        }
    }
}

extension SASEncoding {
    /// Returns whether a field can contain a string unencoded: visible ASCII characters except `&`, with valid escapes.
    private static func isSafe(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "&") }
            && !PercentDecoded(text.utf8).hasInvalidEscape
    }
}

extension ResourceForm {
    /// The form `http`, lower case, no port, no query, with a trailing slash.
    fileprivate static let dotNet = ResourceForm(
        scheme: "http", isLowercased: true, dropsPort: true, dropsQuery: true, trailingSlash: .forced)
}

/// The transformation of a URL before encoding. The default leaves the URL unchanged.
struct ResourceForm: Hashable, Sendable {
    /// The scheme that replaces the URL's scheme, if the URL has one.
    var scheme: String?
    /// Whether ASCII letters are converted to lower case.
    var isLowercased = false
    /// Whether the path is removed.
    var isNamespaceAlone = false
    var dropsPort = false
    var dropsQuery = false
    var trailingSlash = TrailingSlash.kept

    /// The treatment of a trailing slash.
    enum TrailingSlash: Hashable, Sendable {
        case kept
        case dropped
        case forced
    }

    /// Returns the transformed URL.
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
        // A colon within an IPv6 address is followed by the closing bracket.
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")),
            authority[(colon + 1)...].allSatisfy(\.isASCIIDigit)
        else { return authority }
        return authority[..<colon]
    }
}

/// The scheme of a URL (RFC 3986 §3.1) and its separator.
enum URLScheme {
    static let separator = Array("://".utf8)

    /// Returns the end of a URL's scheme; `nil` for a URL without a scheme.
    static func end(in url: [UInt8]) -> Int? {
        let scheme = url.prefix { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
        guard let first = scheme.first, first.isASCIILetterOrDigit, !first.isASCIIDigit,
            url[scheme.endIndex...].starts(with: separator)
        else { return nil }
        return scheme.endIndex
    }
}
