import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A factory of Atom responses that contain registrations, in the form of the service's older front end.
struct RegistrationResponse {
    let call: ServiceCall

    /// Returns a response with one registration.
    func entry(_ stored: StoredRegistration) throws(ServiceError) -> HubResponse {
        // The response to a write has an expiration time without a time zone.
        let expirationTime = call.request.method == .get ? Self.neverText + "Z" : Self.neverText
        let body = try entry(
            stored, namespace: " xmlns=\"\(Atom.namespace)\"", query: "", expirationTime: expirationTime)
        var response = ServiceResponse.atom(body, type: "entry")
        response.headers["ETag"] = "W/\"\(stored.version)\""
        return response
    }

    /// Returns a response with a page of registrations, ordered by ID and following the request's continuation token.
    func page(of registrations: [StoredRegistration]) throws(ServiceError) -> HubResponse {
        let page = try RegistrationPage(registrations, call.query)
        let url = XMLText.escaped("\(call.request.endpoint)\(call.request.path)?\(call.request.query)", quotes: true)
        var body =
            "<feed xmlns=\"\(Atom.namespace)\"><title type=\"text\">Registrations</title><id>\(url)</id>"
            + "<updated>\(time)</updated><link rel=\"self\" href=\"\(url)\"/>"
        for stored in page.registrations {
            let expirationTime = stored.isFromInstallation ? ServiceTime.neverText : Self.neverText + "Z"
            body += try entry(stored, namespace: "", query: call.request.query, expirationTime: expirationTime)
        }
        var response = ServiceResponse.atom(body + "</feed>", type: "feed")
        response.headers["x-ms-continuationtoken"] = page.token
        return response
    }

    private static let neverText = "9999-12-31T23:59:59.999"

    private var time: String { Timestamp(call.now)?.text ?? "" }

    private func entry(
        _ stored: StoredRegistration, namespace: String, query: String, expirationTime: String
    ) throws(ServiceError) -> String {
        // In a feed, an entry's URL has the feed's query items.
        let flags = query.split(separator: "&").filter { !$0.lowercased().hasPrefix("api-version=") }
        let url = XMLText.escaped(
            ([call.location("registrations", stored.id.rawValue)] + flags.map(String.init)).joined(separator: "&"),
            quotes: true)
        return "<entry a:etag=\"W/&quot;\(stored.version)&quot;\"\(namespace) xmlns:a=\"\(Atom.metadataNamespace)\">"
            + "<id>\(url)</id><title type=\"text\">\(stored.id)</title><published>\(time)</published>"
            + "<updated>\(time)</updated><link rel=\"self\" href=\"\(url)\"/><content type=\"application/xml\">"
            + String(decoding: try stored.description(expirationTime: expirationTime), as: UTF8.self)
            + "</content></entry>"
    }
}

extension StoredRegistration {
    /// Returns the registration's XML description.
    ///
    /// - Parameters:
    ///   - expirationTime: The text of the element `ExpirationTime`.
    ///   - inOneLine: Whether to escape line breaks instead of writing CDATA sections, as for a line of an exported file.
    func description(expirationTime: String, inOneLine: Bool = false) throws(ServiceError) -> [UInt8] {
        do {
            let xml = try xml(expirationTime: expirationTime)
            return try XMLWriter.write(inOneLine ? xml.withoutCDATA : xml, declaration: false)
        } catch {
            throw ServiceError(500, "cannot write the stored registration: \(error)")
        }
    }

    /// Returns the registration's description with the elements that the service adds.
    private func xml(expirationTime: String) throws -> XMLElement {
        var xml = try Registration.Description(
            registration, id: id, entityTag: Registration.EntityTag(validating: "\(version)")
        ).xml
        xml.attributes = ["xmlns": Atom.serviceNamespace, "xmlns:i": Atom.instanceNamespace]
        xml.children.insert(XMLElement(name: "ExpirationTime", text: expirationTime), at: 1)
        if registration.pushChannel.platform == .apple, let template = registration.template {
            let order = try Registration.Description.elementNames(of: xml)
            if template.expiry == nil {
                xml.add(XMLElement(name: "Expiry", attributes: ["i:nil": "true"]), inOrder: order)
            }
            if template.headers.isEmpty { xml.add(XMLElement(name: "ApnsHeaders"), inOrder: order) }
        }
        return xml
    }
}

extension XMLElement {
    /// The element with all text escaped, including line breaks.
    fileprivate var withoutCDATA: XMLElement {
        var element = self
        element.writesCDATA = false
        element.children = children.map(\.withoutCDATA)
        return element
    }

    /// Inserts a child at its position in an order of names.
    fileprivate mutating func add(_ child: XMLElement, inOrder names: [String]) {
        let preceding = Set(names.prefix { $0 != child.name })
        children.insert(child, at: children.prefix { preceding.contains($0.name) }.count)
    }
}

/// A page of a registration list, ordered by ID.
struct RegistrationPage {
    /// The maximum size of a page, and its size without `$top`.
    private static let maximumCount = 100

    let registrations: [StoredRegistration]
    /// The continuation token for the next page; `nil` for the last page.
    ///
    /// It is the last ID in Base64, percent-encoded as the service's tokens are, and opaque to clients.
    let token: String?

    init(_ all: [StoredRegistration], _ query: QueryString) throws(ServiceError) {
        var count = Self.maximumCount
        if let text = query["$top"] {
            guard let number = Int(text), number > 0 else { throw .badRequest("$top must be a positive integer") }
            count = min(number, Self.maximumCount)
        }
        var rest = all.sorted { $0.id < $1.id }[...]
        if var token = query["continuationtoken"] {
            // The JavaScript SDK percent-encodes the encoded token again. Base64 has no percent sign.
            if token.contains("%") { token = String(percentDecoding: token) }
            guard let data = Data(base64Encoded: token), let last = String(strictUTF8: data), !last.isEmpty else {
                throw .badRequest("invalid continuationtoken: send the token of the previous page")
            }
            rest = rest.drop { $0.id.rawValue <= last }
        }
        registrations = Array(rest.prefix(count))
        token = rest.count > count ? registrations.last.map { Self.token(after: $0.id) } : nil
    }

    private static func token(after id: Registration.ID) -> String {
        let text = Data(id.rawValue.utf8).base64EncodedString()
        return String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
    }
}
