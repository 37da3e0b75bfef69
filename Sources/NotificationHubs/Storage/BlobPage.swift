import HubText

/// A page of a container's list of blobs.
///
/// Source: [List Blobs](https://learn.microsoft.com/rest/api/storageservices/list-blobs).
package struct BlobPage: Sendable {
    package let blobs: [Blob]
    /// The marker of the next page, or `nil` for the last page.
    package let nextMarker: String?

    /// A blob in a list.
    package struct Blob: Sendable {
        /// The name, percent-encoded if XML does not allow one of its characters.
        package let name: String
        private let isEncoded: Bool
        private let element: XMLElement
        private let location: String

        fileprivate init(_ element: XMLElement) throws(XMLContentError) {
            var reader = ElementReader(element, at: "EnumerationResults/Blobs/Blob")
            let name = try reader.required("Name")
            self.element = element
            self.name = try name.text
            isEncoded = name.element.attribute("Encoded") == "true"
            location = name.path
        }

        /// The percent-encoded path of the blob in the container.
        ///
        /// - Throws: `XMLContentError` for a name that a URL cannot contain, such as one with a `..` segment.
        var path: String {
            get throws(XMLContentError) {
                let path = isEncoded ? name : PercentEncoding.path.encode(name.utf8).lossyText
                guard path.hasNoDotSegments, PercentEncoding.encodedPath.encode(path.utf8).elementsEqual(path.utf8)
                else { throw XMLContentError(location, "is not a valid blob name in a URL") }
                return path
            }
        }

        /// The entity tag, if the list contains one.
        package var entityTag: String? { element["Properties"]?["Etag"]?.content }

        /// Returns the value of the metadata with a name.
        package func metadata(_ name: String) -> String? { element["Metadata"]?[name]?.text }
    }

    /// Returns the query for a page.
    ///
    /// - Parameters:
    ///   - prefix: The start of the blobs' names.
    ///   - size: The maximum number of blobs.
    package static func query(
        prefix: String = "", after marker: String?, includesMetadata: Bool = false, size: Int
    ) -> String {
        func parameter(_ name: String, _ value: String?) -> String {
            value.map { "&\(name)=" + PercentEncoding.rfc3986.encode($0.utf8).lossyText } ?? ""
        }
        return "restype=container&comp=list" + parameter("include", includesMetadata ? "metadata" : nil)
            + "&maxresults=\(size)" + parameter("prefix", prefix.isEmpty ? nil : prefix) + parameter("marker", marker)
    }

    /// Parses a page.
    package init(_ bytes: [UInt8]) throws(XMLContentError) {
        let root = try Atom.read(bytes, maximumByteCount: XMLReader.maximumListByteCount)
        guard root.localName == "EnumerationResults" else {
            throw XMLContentError(root.localName.escapedForDisplay, "is not EnumerationResults")
        }
        var reader = ElementReader(root, at: "EnumerationResults")
        nextMarker = try reader.optional("NextMarker")?.content()
        var blobs: [Blob] = []
        for element in try reader.optional("Blobs")?.element.children ?? [] where element.localName == "Blob" {
            blobs.append(try Blob(element))
        }
        self.blobs = blobs
    }
}

extension PercentEncoding {
    /// The encoding that leaves a percent-encoded path unchanged.
    fileprivate static let encodedPath = PercentEncoding(
        digits: .upper, marks: "-._~!$&'()*+,;=:@/%", writesSpaceAsPlus: false)
}
