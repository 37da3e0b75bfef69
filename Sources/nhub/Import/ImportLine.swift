import HubCommandLine
import NotificationHubs

/// A line of an import: the installation in it, or why there is none.
///
/// A line of a file of failures is understood as well, once it is mended: what counts in it is its `installation`, or its
/// `text`.
struct ImportLine: Sendable {
    /// The longest line, in bytes, that is read.
    static let longest = 1 << 18

    /// Which line it is, from 1 on.
    let number: Int
    /// What is to be put, or why it cannot be.
    let installation: Result<Installation, Unusable>
    /// The line, without what a file of failures has put around it.
    let content: Content

    /// What a file of failures repeats of a line.
    enum Content: Hashable, Sendable {
        case json([UInt8])
        case text(String)
    }

    /// Why a line cannot be put.
    struct Unusable: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// - Returns: `nil` for a blank line.
    init?(_ line: LineReader.Line) {
        var bytes = line.bytes[...]
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        if line.number == 1, bytes.starts(with: mark) { bytes = bytes.dropFirst(mark.count) }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0d }) { return nil }
        number = line.number
        if line.isCut {
            content = .text(String(decoding: bytes.prefix(1000), as: UTF8.self))
            installation = .failure(Unusable(description: "the line is longer than \(Self.longest) bytes"))
        } else {
            (installation, content) = Self.read(bytes)
        }
    }

    private static func read(_ bytes: ArraySlice<UInt8>) -> (Result<Installation, Unusable>, Content) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            return (
                .failure(Unusable(description: "no JSON: \(error)")), .text(String(decoding: bytes, as: UTF8.self))
            )
        }
        if case .object(let object) = json, object["installationId"] == nil, object["error"] != nil {
            switch (object["installation"], object["text"]) {
            case (let inner?, _): return read(inner.bytes[...])
            case (_, .string(let text)?): return read(Array(text.utf8)[...])
            default: break
            }
        }
        do {
            return (.success(try Installation(json: bytes)), .json(Array(bytes)))
        } catch {
            return (.failure(Unusable(description: "no installation: \(error)")), .json(Array(bytes)))
        }
    }

    /// Equal for lines that must not overtake each other. Whether ids that differ in case alone are one to the service is not
    /// known.
    static func key(_ id: Installation.ID) -> String {
        id.rawValue.lowercased()
    }
}
