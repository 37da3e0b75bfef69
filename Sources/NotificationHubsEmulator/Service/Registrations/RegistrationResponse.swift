import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A factory of Atom responses that contain registrations.
struct RegistrationResponse {
    let call: ServiceCall

    private var isOld: Bool { call.profile == .service2022 }
    private var isWrite: Bool { call.request.method != .get }

    /// Returns a response with one registration.
    func entry(_ stored: StoredRegistration) throws(ServiceError) -> HubResponse {
        let url = isOld || isWrite ? call.location("registrations", stored.id.rawValue) : resource(stored.id.rawValue)
        // The response to a write has an expiration time without a time zone.
        let expirationTime = neverText + (isWrite ? "" : "Z")
        let body = try entry(
            stored, url: url, prefix: isOld ? "a" : "p1", isDocument: true, expirationTime: expirationTime)
        var response = ServiceResponse.atom(body, type: "entry")
        if isOld {
            response.headers["ETag"] = "W/\"\(stored.version)\""
        } else if !isWrite {
            response.headers["Content-Type"] = ServiceResponse.plainXMLType
        }
        return response
    }

    /// Returns a response with a page of registrations, ordered by ID and following the request's continuation token.
    func page(
        of registrations: [StoredRegistration], at position: RegistrationPosition
    ) throws(ServiceError) -> HubResponse {
        let page = RegistrationPage(registrations, at: position)
        let request = call.request
        let items = request.query.split(separator: "&").map(String.init)
        let others = items.filter { !$0.lowercased().hasPrefix("continuationtoken=") }
        // Newer responses keep the options of the query.
        let options = others.filter { !$0.lowercased().hasPrefix("api-version=") }.map { "&\($0)" }.joined()
        let url = isOld ? "\(request.endpoint)\(request.path)?\(request.query)" : resource(nil) + options
        var body =
            "<feed xmlns=\"\(Atom.namespace)\"><title type=\"text\">Registrations</title>"
            + "<id>\(XMLText.escaped(url))</id><updated>\(time)</updated>" + link("self", url)
        if let token = page.token {
            // The service encodes the token of the header again, and the dollar sign of the options.
            let encoded = String(decoding: PercentEncoding.rfc3986.encode(token.utf8), as: UTF8.self)
            let query = others.map { $0.first == "$" ? "%24\($0.dropFirst())" : $0 } + ["continuationtoken=\(encoded)"]
            body += link("next", "\(request.endpoint)\(request.path)?\(query.joined(separator: "&"))")
        }
        for stored in page.registrations {
            let expirationTime = stored.isFromInstallation ? ServiceTime.neverText : neverText + "Z"
            body += try entry(
                stored, url: isOld ? entryURL(stored) : resource(stored.id.rawValue), prefix: isOld ? "a" : "p2",
                isDocument: false, expirationTime: expirationTime)
        }
        var response = ServiceResponse.atom(body + "</feed>", type: "feed")
        if !isOld { response.headers["Content-Type"] = ServiceResponse.plainXMLType }
        response.headers["x-ms-continuationtoken"] = page.token
        return response
    }

    private var neverText: String { isOld ? "9999-12-31T23:59:59.999" : "9999-12-31T23:59:59.9999999" }

    private var time: String { Timestamp(call.now)?.text ?? "" }

    private func link(_ relation: String, _ url: String) -> String {
        "<link rel=\"\(relation)\" href=\"\(XMLText.escaped(url, quotes: true))\"/>"
    }

    /// Returns the URL of a registration in newer responses, or of all registrations.
    private func resource(_ id: String?) -> String {
        let version = call.query["api-version"].map { "?api-version=\($0)" } ?? ""
        return "\(call.request.endpoint)/\(call.hubName)/resources" + (id.map { "/\($0)" } ?? "") + version
    }

    /// Returns the URL of a registration in a feed of older responses: below the request's path for a tag, and with its query.
    private func entryURL(_ stored: StoredRegistration) -> String {
        let flags = call.request.query.split(separator: "&").filter { !$0.lowercased().hasPrefix("api-version=") }
        var location = call.location("registrations", stored.id.rawValue)
        if call.request.path.lowercased().contains("/tags/") {
            let version = location.drop { $0 != "?" }
            location = "\(call.request.endpoint)\(call.request.path)/\(stored.id)\(version)"
        }
        return ([location] + flags.map(String.init)).joined(separator: "&")
    }

    private func entry(
        _ stored: StoredRegistration, url: String, prefix: String, isDocument: Bool, expirationTime: String
    ) throws(ServiceError) -> String {
        let tag = "\(prefix):etag=\"W/&quot;\(stored.version)&quot;\""
        let metadata = "xmlns:\(prefix)=\"\(Atom.metadataNamespace)\""
        let namespace = isDocument ? ["xmlns=\"\(Atom.namespace)\""] : []
        let attributes = isOld ? [tag] + namespace + [metadata] : [tag, metadata] + namespace
        return "<entry \(attributes.joined(separator: " "))>"
            + "<id>\(XMLText.escaped(url))</id><title type=\"text\">\(stored.id)</title><published>\(time)</published>"
            + "<updated>\(time)</updated>" + link("self", url) + "<content type=\"application/xml\">"
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
            return try XMLWriter.write(inOneLine ? xml.asLine : xml, declaration: false)
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
    /// Inserts a child at its position in an order of names.
    fileprivate mutating func add(_ child: XMLElement, inOrder names: [String]) {
        let preceding = Set(names.prefix { $0 != child.name })
        children.insert(child, at: children.prefix { preceding.contains($0.name) }.count)
    }
}

/// The position of a page in a registration list.
struct RegistrationPosition {
    /// The maximum size of a page, and its size without `$top`.
    private static let maximumCount = 100

    /// The number of registrations in the page.
    let count: Int
    /// The last ID of the preceding page; `nil` for the first page.
    let last: Registration.ID?

    init(_ query: QueryString) throws(ServiceError) {
        var count = Self.maximumCount
        if let text = query["$top"] {
            guard let number = Int(text), number > 0 else { throw .badRequest("$top must be a positive integer") }
            count = min(number, Self.maximumCount)
        }
        self.count = count
        guard var token = query["continuationtoken"] else {
            last = nil
            return
        }
        // The JavaScript SDK percent-encodes the encoded token again. Base64 has no percent sign.
        if token.contains("%") { token = String(percentDecoding: token) }
        guard let data = Data(base64Encoded: token), let text = String(strictUTF8: data), !text.isEmpty else {
            throw .badRequest("invalid continuationtoken: send the token of the previous page")
        }
        last = Registration.ID(unchecked: text)
    }
}

/// A page of a registration list, ordered by ID.
struct RegistrationPage {
    let registrations: [StoredRegistration]
    /// The continuation token for the next page; `nil` for the last page.
    ///
    /// It is the last ID in Base64, percent-encoded as the service's tokens are, and opaque to clients.
    let token: String?

    /// - Parameter candidates: At least the registrations of the page and the next one.
    init(_ candidates: [StoredRegistration], at position: RegistrationPosition) {
        let rest = candidates.filter { entry in position.last.map { $0 < entry.id } ?? true }.sorted { $0.id < $1.id }
        registrations = Array(rest.prefix(position.count))
        token = rest.count > position.count ? registrations.last.map { Self.token(after: $0.id) } : nil
    }

    private static func token(after id: Registration.ID) -> String {
        let text = Data(id.rawValue.utf8).base64EncodedString()
        return String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
    }
}
