import HubCrypto
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The page at `/$emulator/`: one document, which needs nothing from elsewhere.
///
/// What it shows comes from devices and senders, and goes into it as text alone. Nothing but its own style and its own
/// script runs in it: the header names them by their hashes.
enum Page {
    /// The document.
    static let response = HubResponse(
        status: 200,
        headers: [
            "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
        ],
        body: Array(document.utf8))

    private static let document = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Notification Hub emulator</title>
        <link rel="icon" href="data:,">
        <style>\(style)</style>
        </head>
        \(markup)
        <script>\(program)</script>
        </html>
        """

    private static let program = "\"use strict\";\n\(cards)\n\(script)"

    private static let policy = [
        "default-src 'none'", "style-src \(source(style))", "script-src \(source(program))", "connect-src 'self'",
        "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: text.utf8)).base64EncodedString())'"
    }
}
