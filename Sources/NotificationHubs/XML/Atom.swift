/// The Atom format of the service's XML (RFC 4287): an entry that contains one description, or a feed of entries.
package enum Atom {
    package static let namespace = "http://www.w3.org/2005/Atom"
    /// The namespace of descriptions.
    package static let serviceNamespace = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
    package static let instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance"
    /// The namespace of an entry's `etag` attribute.
    package static let metadataNamespace = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
    /// The title of the feed with which the service responds to a request for a hub that does not exist.
    package static let publicListTitle = "Publicly Listed Services"
    /// The media type of a request's entry.
    static let entryType = "application/atom+xml;type=entry;charset=utf-8"

    /// Returns an entry that contains a description.
    ///
    /// - Parameter head: The elements before the content, which only servers write.
    package static func entry(_ description: XMLElement, head: [XMLElement] = []) -> XMLElement {
        var description = description
        description.attributes["xmlns"] = serviceNamespace
        description.attributes["xmlns:i"] = instanceNamespace
        let content = XMLElement(name: "content", attributes: ["type": "application/xml"], children: [description])
        return XMLElement(name: "entry", attributes: ["xmlns": namespace], children: head + [content])
    }

    /// Returns the bytes of an entry that contains a description.
    ///
    /// - Throws: ``HubValidationError`` for a character that XML does not allow.
    static func bytes(_ description: XMLElement) throws(HubValidationError) -> [UInt8] {
        do {
            return try XMLWriter.write(entry(description))
        } catch {
            throw HubValidationError(error)
        }
    }

    /// Returns a feed of entries.
    ///
    /// - Parameter head: The elements before the entries.
    package static func feed(_ entries: [XMLElement], head: [XMLElement] = []) -> XMLElement {
        XMLElement(name: "feed", attributes: ["xmlns": namespace], children: head + entries)
    }

    /// Returns the description in an entry.
    package static func description(in entry: XMLElement, at path: String = "entry") throws(XMLContentError)
        -> XMLElement
    {
        guard entry.localName == "entry" else { throw XMLContentError(path, "is not an entry") }
        var reader = ElementReader(entry, at: path)
        let content = try reader.required("content")
        guard let description = content.element.children.first, content.element.children.count == 1 else {
            throw XMLContentError(content.path, "must contain exactly one element")
        }
        return description
    }

    /// Returns the entries of a feed and their paths.
    ///
    /// For some unexpected requests, the service responds with another feed.
    ///
    /// - Parameter title: The feed's title; `nil` for any title except ``publicListTitle``.
    package static func entries(
        of feed: XMLElement, title: String? = nil
    ) throws(XMLContentError) -> [(element: XMLElement, path: String)] {
        guard feed.localName == "feed" else { throw XMLContentError("feed", "is not a feed") }
        if let found = feed["title"]?.content {
            guard found == title ?? found, found != publicListTitle else {
                throw XMLContentError("feed/title", "is \(found.quotedForDisplay): the service returned another feed")
            }
        }
        return feed.children.filter { $0.localName == "entry" }.enumerated().map { ($1, "feed/entry[\($0 + 1)]") }
    }

    /// Parses a document and returns its root element.
    package static func read(
        _ bytes: [UInt8], maximumByteCount: Int = XMLReader.maximumByteCount
    ) throws(XMLContentError) -> XMLElement {
        do {
            return try XMLReader.read(bytes, maximumByteCount: maximumByteCount)
        } catch {
            throw XMLContentError(error)
        }
    }
}

extension HubValidationError {
    /// Creates an error for a character that XML does not allow.
    init(_ error: XMLWriter.InvalidCharacterError) {
        self.init(
            .invalidCharacter, "\(error.element) contains an invalid XML character at byte \(error.offset)",
            offset: error.offset)
    }
}
