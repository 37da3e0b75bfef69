import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A part of a listing: so many registrations behind one, in the order of their ids.
struct RegistrationPage {
    /// The most registrations of a page, and how many there are unless `$top` says otherwise.
    private static let maximumCount = 100

    let registrations: [HeldRegistration]
    /// What the next part is asked for by; `nil` if this is the last one.
    ///
    /// An id in base64, percent-encoded as the service's tokens are, opaque to clients.
    let token: String?

    init(_ all: [HeldRegistration], _ query: QueryString) throws(ServiceRefusal) {
        var count = Self.maximumCount
        if let text = query["$top"] {
            guard let number = Int(text), number > 0 else { throw .badRequest("$top is a number from 1 on") }
            count = min(number, Self.maximumCount)
        }
        var rest = all.sorted { $0.id.text < $1.id.text }[...]
        if let token = query["continuationtoken"] {
            guard let data = Data(base64Encoded: token), let last = String(strictUTF8: data), !last.isEmpty else {
                throw .badRequest("The continuation token is not valid")
            }
            rest = rest.drop { $0.id.text <= last }
        }
        registrations = Array(rest.prefix(count))
        token = rest.count > count ? registrations.last.map { Self.token(behind: $0.id) } : nil
    }

    private static func token(behind id: Registration.ID) -> String {
        let text = Data(id.text.utf8).base64EncodedString()
        return String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
    }
}
