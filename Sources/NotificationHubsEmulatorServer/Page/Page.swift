import HubCrypto
import HubEmulatorPage
import HubServer
import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The page at `/$emulator/`: a single document built from ``PageFiles``.
///
/// The header `Content-Security-Policy` contains the hashes of the page's style and script and allows no others.
enum Page {
    /// The response with the document.
    static let response = HTTPResponse(
        status: 200,
        headers: [
            "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
        ],
        body: Array(document.utf8))

    private static let document = PageFiles.document
        .replacing("{{formats}}", with: MessageFormat.all.map(\.option).joined())
        .replacing("{{program}}", with: XMLText.escaped(PageFiles.program))
        .replacing("{{style}}", with: PageFiles.style)
        .replacing("{{script}}", with: PageFiles.script)

    private static let policy = [
        "default-src 'none'", "style-src \(source(PageFiles.style))", "script-src \(source(PageFiles.script))",
        "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: text.utf8)).base64EncodedString())'"
    }
}

extension MessageFormat {
    /// The format as an option of the form, with a sample message.
    fileprivate var option: String {
        let label = self == .template ? "template" : name
        return "<option value=\"\(name)\" data-sample=\"\(XMLText.escaped(sample, quotes: true))\">\(label)</option>"
    }

    private var sample: String {
        guard let platform else { return #"{"message": "Hello"}"# }
        return switch platform {
        case .apple: #"{"aps": {"alert": "Hello"}}"#
        case .fcmV1: #"{"message": {"notification": {"title": "Hello", "body": "from the emulator"}}}"#
        case .gcm, .adm: #"{"data": {"message": "Hello"}}"#
        case .windows:
            #"<toast><visual><binding template="ToastGeneric"><text>Hello</text></binding></visual></toast>"#
        case .windowsPhone:
            #"<wp:Notification xmlns:wp="WPNotification"><wp:Toast><wp:Text1>Hello</wp:Text1></wp:Toast></wp:Notification>"#
        case .browser: #"{"title": "Hello", "body": "from the emulator"}"#
        default: #"{"title": "Hello", "description": "from the emulator"}"#
        }
    }
}
