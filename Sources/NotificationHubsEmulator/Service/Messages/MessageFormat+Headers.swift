import HubText
import NotificationHubs

extension MessageFormat {
    /// Whether the service forwards a request's header to the platform.
    func forwards(header name: String) -> Bool {
        guard let prefix = platform?.row?.headerPrefix, !name.utf8.starts(ignoringCase: "x-ms-") else { return false }
        if name.utf8.starts(ignoringCase: prefix) { return true }
        // Older names of Apple's headers.
        return platform == .apple
            && ["ServiceBusNotification-Apns-Expiry", "X-Apns-Priority"].contains {
                name.utf8.isEqual(ignoringCase: $0)
            }
    }
}
