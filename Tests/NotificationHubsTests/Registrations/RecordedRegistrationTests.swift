import Foundation
import NotificationHubs
import Testing

/// Registrations recorded from the real service, in the directory `HUB_RECORDINGS`. They are not part of this repository.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set"))
struct RecordedRegistrationTests {

    @Test func `reproduces every recorded registration`() throws {
        var count = 0
        for file in try Recordings.files("dotnet") {
            guard case .array(let calls)? = try JSONValue(parsing: file.bytes)["HttpCalls"] else { continue }
            for call in calls {
                guard case .string(let content)? = call["Content"], content.contains("RegistrationDescription") else {
                    continue
                }
                for entry in try entries(Array(content.utf8)) {
                    try compare(entry, file.name)
                    count += 1
                }
            }
        }
        #expect(count == 27)
    }

    @Test func `reproduces the samples of the Java SDK`() throws {
        var count = 0
        for file in try Recordings.files("java") where file.name.contains("Registration") {
            for entry in try entries(file.bytes) {
                try compare(entry, file.name)
                count += 1
            }
        }
        #expect(count == 10)
    }

    private func entries(_ bytes: [UInt8]) throws -> [XMLElement] {
        let root = try XMLReader.read(bytes)
        return root.localName == "feed" ? try Atom.entries(of: root).map(\.element) : [root]
    }

    /// Parses an entry, writes it, and compares the elements.
    private func compare(_ entry: XMLElement, _ file: String) throws {
        let read = try Registration.Entry(xml: entry)
        #expect(read.otherElements.isEmpty, "\(file) has an unknown element")
        #expect(read.entityTag != nil)
        let recorded = try Atom.description(in: entry)
        let description = try Registration.Description(xml: recorded)
        #expect(description.registration == read.registration && description.id == read.id)
        #expect(description.expirationTime != nil && read.expirationTime == description.expirationTime?.unlessNever)
        let written = try XMLReader.read(XMLWriter.write(description.xml))
        let name = recorded.attributes["i:type"] ?? recorded.name
        #expect(written.name == name)
        #expect(elements(written) == elements(recorded), "\(file)")
    }

    /// Returns the elements in order, without empty ones and fractions of seconds, and with sorted headers.
    private func elements(_ description: XMLElement) -> [String] {
        description.children.filter { !($0.text.isEmpty && $0.children.isEmpty) }.map { element in
            let headers = element.children.map { "\($0["Header"]?.text ?? "")=\($0["Value"]?.text ?? "")" }.sorted()
            var text = headers.isEmpty ? element.text : headers.joined(separator: ";")
            switch element.name {
            case "ExpirationTime": text = String(text.prefix(19))
            case "Tags": text = text.replacing(", ", with: ",")
            default: break
            }
            return "\(element.name): \(text)"
        }
    }
}
