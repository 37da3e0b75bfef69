import HubTokenScanner
import Testing

/// Tests of the properties of found secrets.
@Suite(.timeLimit(.minutes(30))) struct PropertyTests {
    private static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    private static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"
    private static let accountKey =
        "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g=="

    @Test(arguments: [
        ("https://user:hunter2@a.blob.core/c?sv=2021-06-08&sp=r&sig=\(signature)", "a.blob.core/c", nil),
        ("Endpoint=sb://user:hunter2@h.net;SharedAccessKeyName=n;SharedAccessKey=\(key)", "h.net", "n"),
        ("Endpoint=sb://h.net?pwd=hunter2;SharedAccessKeyName=n;SharedAccessKey=\(key)", "h.net", "n"),
        ("Endpoint=sb://h.net/;SharedAccessKeyName=n&pwd=hunter2;SharedAccessKey=\(key)", "h.net", "n"),
        ("Endpoint=sb://h.net/;SharedAccessKeyName=n|pw=hunter2|;SharedAccessKey=\(key)", "h.net", "n"),
        ("sr=h&sig=\(signature)&skn=8UM0iIfFCfeBSqx/SdBMW8pUbhAm7mnj", "h", nil),
        ("sr=h&sig=\(signature)&skn=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnj", "h", nil),
    ])
    func `omits other secrets from the resource and the key name`(text: String, resource: String, keyName: String?)
        throws
    {
        let match = try #require(SecretScanner.matches(in: Array(text.utf8)).first)
        #expect(match.resource == resource)
        #expect(match.keyName == keyName)
    }

    @Test func `names the account of each key`() {
        let names = ["one", "two", "three"]
        let lines = names.map { "AccountName=\($0);AccountKey=\($0.count)\(Self.accountKey.dropFirst())" }
        let text = lines.joined(separator: "\n") + "\nkey2 = 9\(Self.accountKey.dropFirst())"
        #expect(SecretScanner.matches(in: Array(text.utf8)).map(\.resource) == names + [nil])
    }
}
