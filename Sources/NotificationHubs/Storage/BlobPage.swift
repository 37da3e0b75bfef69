import HubText

/// A part of a container's list of blobs.
///
/// Source: [List Blobs](https://learn.microsoft.com/rest/api/storageservices/list-blobs).
struct BlobPage {
    /// The blobs' paths within the container, percent-encoded.
    let paths: [String]
    /// What the next part is asked for by.
    let nextMarker: String?

    /// How many blobs are asked for at once.
    static let size = 500

    /// What a query has to ask for a part.
    static func query(marker: String?) -> String {
        "restype=container&comp=list&maxresults=\(size)"
            + (marker.map { "&marker=" + encoded($0, .rfc3986) } ?? "")
    }

    init(_ bytes: [UInt8]) throws(UnreadableXML) {
        let root = try Atom.read(bytes, maximumByteCount: XMLReader.maximumListByteCount)
        guard root.localName == "EnumerationResults" else {
            throw UnreadableXML(String(root.localName).shownInside, "is no EnumerationResults")
        }
        var reader = ElementReader(root, at: "EnumerationResults")
        nextMarker = try reader.optional("NextMarker")?.content()
        var paths: [String] = []
        for blob in try reader.optional("Blobs")?.element.children ?? [] where blob.localName == "Blob" {
            var reader = ElementReader(blob, at: "EnumerationResults/Blobs/Blob")
            let name = try reader.required("Name")
            // A name that XML cannot hold comes percent-encoded, and says so.
            let isEncoded = name.element.attribute("Encoded") == "true"
            let path = isEncoded ? name.text : Self.encoded(name.text, .path)
            guard path.isPlainPath, Self.encoded(path, .encodedPath).utf8.elementsEqual(path.utf8) else {
                throw UnreadableXML(name.path, "is no name that a URL can have")
            }
            paths.append(path)
        }
        self.paths = paths
    }

    private static func encoded(_ text: String, _ encoding: PercentEncoding) -> String {
        String(decoding: encoding.encode(text.utf8), as: UTF8.self)
    }
}

extension PercentEncoding {
    /// A path of several segments.
    fileprivate static let path = PercentEncoding(digits: .upper, marks: "-._~/", writesSpaceAsPlus: false)
    /// A path that is encoded already.
    fileprivate static let encodedPath = PercentEncoding(
        digits: .upper, marks: "-._~!$&'()*+,;=:@/%", writesSpaceAsPlus: false)
}
