/// What the service's XML is wrapped in (RFC 4287): an entry with one description as its content, or a feed of entries.
package enum Atom {
    package static let namespace = "http://www.w3.org/2005/Atom"
    /// The descriptions' namespace.
    package static let serviceNamespace = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
    package static let instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance"
    /// The namespace of the attribute `etag` of an entry.
    package static let metadataNamespace = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
    /// What a request's entry is labelled as.
    static let entryType = "application/atom+xml;type=entry;charset=utf-8"

    /// An entry.
    ///
    /// - Parameter head: what stands before the content, as a server writes it.
    package static func entry(_ description: XMLElement, head: [XMLElement] = []) -> XMLElement {
        var description = description
        description.attributes["xmlns"] = serviceNamespace
        description.attributes["xmlns:i"] = instanceNamespace
        let content = XMLElement(name: "content", attributes: ["type": "application/xml"], children: [description])
        return XMLElement(name: "entry", attributes: ["xmlns": namespace], children: head + [content])
    }

    /// The bytes of an entry.
    ///
    /// - Throws: ``HubValidationError`` for a character that XML cannot contain.
    static func bytes(_ description: XMLElement) throws(HubValidationError) -> [UInt8] {
        do {
            return try XMLWriter.write(entry(description))
        } catch {
            throw HubValidationError(
                .invalidCharacter,
                "\(error.element) contains a character at byte \(error.offset) that XML does not allow",
                offset: error.offset)
        }
    }

    /// A feed.
    ///
    /// - Parameter head: what stands before the entries.
    package static func feed(_ entries: [XMLElement], head: [XMLElement] = []) -> XMLElement {
        XMLElement(name: "feed", attributes: ["xmlns": namespace], children: head + entries)
    }

    /// The description in an entry.
    package static func description(in entry: XMLElement, at path: String = "entry") throws(UnreadableXML) -> XMLElement
    {
        guard entry.localName == "entry" else { throw UnreadableXML(path, "is no entry") }
        var reader = ElementReader(entry, at: path)
        let content = try reader.required("content")
        guard let description = content.element.children.first, content.element.children.count == 1 else {
            throw UnreadableXML(content.path, "does not have one element")
        }
        return description
    }

    /// The entries of a feed, and where each is.
    package static func entries(of feed: XMLElement) throws(UnreadableXML) -> [(element: XMLElement, path: String)] {
        guard feed.localName == "feed" else { throw UnreadableXML("feed", "is no feed") }
        return feed.children.filter { $0.localName == "entry" }.enumerated().map { ($1, "feed/entry[\($0 + 1)]") }
    }

    /// The root element of a document.
    package static func read(
        _ bytes: [UInt8], maximumByteCount: Int = XMLReader.maximumByteCount
    ) throws(UnreadableXML) -> XMLElement {
        do {
            return try XMLReader.read(bytes, maximumByteCount: maximumByteCount)
        } catch {
            throw UnreadableXML(error)
        }
    }
}
