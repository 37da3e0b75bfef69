import NotificationHubs
import SharedAccessSignature
import Testing

/// The strings that account keys sign. Tests/Scripts/emulator/azure-storage compares them with Microsoft's client.
@Suite struct StorageStringToSignTests {
    private func text(
        _ method: String, _ path: String, _ query: String = "", _ headers: HubHeaders, _ body: [UInt8] = []
    ) throws -> String {
        StorageStringToSign.text(
            of: HubRequest(
                HubRequest.Method(rawValue: method),
                endpoint: try ServiceEndpoint("https://myaccount.blob.core.windows.net"),
                path: path, query: query, headers: headers, body: body), account: "myaccount")
    }

    @Test func `equals the documentation's example`() throws {
        let signed = try text(
            "GET", "/mycontainer", "restype=container&comp=metadata&timeout=20",
            ["x-ms-version": "2015-02-21", "x-ms-date": "Fri, 26 Jun 2015 23:39:12 GMT"])
        #expect(
            signed == "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
                + "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20")
    }

    @Test func `contains the standard headers in order, and the body's length`() throws {
        let signed = try text(
            "PUT", "/c/b", "",
            [
                "Range": "11", "If-Unmodified-Since": "10", "If-None-Match": "9", "If-Match": "8",
                "If-Modified-Since": "7",
                "Date": "6", "Content-Type": "5", "Content-MD5": "4", "Content-Language": "2", "Content-Encoding": "1",
            ], [0, 0, 0])
        #expect(signed == "PUT\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n/myaccount/c/b")
    }

    @Test func `omits Date if x-ms-date is present`() throws {
        let signed = try text("GET", "/", "", ["Date": "now", "x-ms-date": "then"])
        #expect(!signed.contains("now"))
    }

    @Test func `sorts header names as the service does`() throws {
        let names = [
            "x-ms-meta-_a", "x-ms-meta-0", "x-ms-meta-a", "x-ms-meta-aa", "x-ms-meta-a-a", "x-ms-meta-B",
            "x-ms-version",
        ]
        let headers = HubHeaders(names.shuffled().map { (name: $0, value: "1") })
        let signed = try text("GET", "/", "", headers)
        let lines = signed.split(separator: "\n").filter { $0.hasPrefix("x-ms-") }
        #expect(lines == names.map { "\($0.lowercased()):1" }.map { $0[...] })
    }

    @Test func `decodes and sorts query parameters`() throws {
        let signed = try text("GET", "/c", "B=2%2B+x&a=z&b=%C3%A9&flag", [:])
        #expect(signed.hasSuffix("/myaccount/c\na:z\nb:2++x,é\nflag:"))
    }
}
