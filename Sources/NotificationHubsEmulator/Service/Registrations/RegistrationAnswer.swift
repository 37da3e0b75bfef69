import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Registrations as the service's older front end answers with them: Atom.
struct RegistrationAnswer {
    let call: ServiceCall

    /// One registration.
    func entry(_ held: HeldRegistration) throws(ServiceRefusal) -> HubResponse {
        // What answers a write says the end without its zone.
        let end = call.request.method == .get ? Self.neverText + "Z" : Self.neverText
        let body = try entry(held, namespace: " xmlns=\"\(Atom.namespace)\"", query: "", expirationTime: end)
        var response = ServiceResponse.atom(body, type: "entry")
        response.headers["ETag"] = "W/\"\(held.version)\""
        return response
    }

    /// A page of registrations: those that come behind the one of the request's token, in the order of their ids.
    func page(of registrations: [HeldRegistration]) throws(ServiceRefusal) -> HubResponse {
        let page = try RegistrationPage(registrations, call.query)
        let url = XMLText.escaped("\(call.request.endpoint)\(call.request.path)?\(call.request.query)", quotes: true)
        var body =
            "<feed xmlns=\"\(Atom.namespace)\"><title type=\"text\">Registrations</title><id>\(url)</id>"
            + "<updated>\(time)</updated><link rel=\"self\" href=\"\(url)\"/>"
        for held in page.registrations {
            let end = held.isOfInstallation ? ServiceTime.neverText : Self.neverText + "Z"
            body += try entry(held, namespace: "", query: call.request.query, expirationTime: end)
        }
        var response = ServiceResponse.atom(body + "</feed>", type: "feed")
        response.headers["x-ms-continuationtoken"] = page.token
        return response
    }

    private static let neverText = "9999-12-31T23:59:59.999"

    private var time: String { Timestamp(call.now)?.text ?? "" }

    private func entry(
        _ held: HeldRegistration, namespace: String, query: String, expirationTime: String
    ) throws(ServiceRefusal) -> String {
        // In a feed, an entry's URL has what the feed's has.
        let flags = query.split(separator: "&").filter { !$0.lowercased().hasPrefix("api-version=") }
        let url = XMLText.escaped(
            ([call.location("registrations", held.id.rawValue)] + flags.map(String.init)).joined(separator: "&"),
            quotes: true)
        return "<entry a:etag=\"W/&quot;\(held.version)&quot;\"\(namespace) xmlns:a=\"\(Atom.metadataNamespace)\">"
            + "<id>\(url)</id><title type=\"text\">\(held.id)</title><published>\(time)</published>"
            + "<updated>\(time)</updated><link rel=\"self\" href=\"\(url)\"/><content type=\"application/xml\">"
            + String(decoding: try held.description(expirationTime: expirationTime), as: UTF8.self)
            + "</content></entry>"
    }
}

extension HeldRegistration {
    /// The registration's description in XML, in its sections or, for a line of a file, all in one.
    func description(expirationTime: String, inOneLine: Bool = false) throws(ServiceRefusal) -> [UInt8] {
        do {
            let xml = try xml(expirationTime: expirationTime)
            return try XMLWriter.write(inOneLine ? xml.withoutSections : xml, declaration: false)
        } catch {
            throw ServiceRefusal(500, "what is stored cannot be written: \(error)")
        }
    }

    /// The registration's description, with what the service adds to it.
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
    /// The element with all text escaped, line breaks too.
    fileprivate var withoutSections: XMLElement {
        var element = self
        element.writesSections = false
        element.children = children.map(\.withoutSections)
        return element
    }

    /// Adds a child where it belongs among those whose names stand in an order.
    fileprivate mutating func add(_ child: XMLElement, inOrder names: [String]) {
        let before = Set(names.prefix { $0 != child.name })
        children.insert(child, at: children.prefix { before.contains($0.name) }.count)
    }
}

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
        var rest = all.sorted { $0.id < $1.id }[...]
        if let token = query["continuationtoken"] {
            guard let data = Data(base64Encoded: token), let last = String(strictUTF8: data), !last.isEmpty else {
                throw .badRequest("The continuation token is not valid")
            }
            rest = rest.drop { $0.id.rawValue <= last }
        }
        registrations = Array(rest.prefix(count))
        token = rest.count > count ? registrations.last.map { Self.token(behind: $0.id) } : nil
    }

    private static func token(behind id: Registration.ID) -> String {
        let text = Data(id.rawValue.utf8).base64EncodedString()
        return String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
    }
}
