import HubTokenScanner
import Testing

/// Keys of Azure services other than hubs and storage accounts. All are random.
@Suite struct ServiceKeyTests {
    /// 32, 40 and 64 random bytes.
    private static let key32 = "mV3+x0Qe7Zk1uYb/4sLhW9tRcJ2nGf8DpA6iXoK5EwU="
    private static let key40 = "u7Hq2LzXw0d5Tn9bKc1RyVe8Ga4SpJmFi3Bo6ZtQxUvEhCAgNkPMrw=="
    private static let key64 =
        "Zt4kXq9Lw2Vb7Ny0Rc5Hm8Pd1Sf6Jg3Ka+UeTiOoQxWzEyCuBvMnGhDlFpIr/sAtYjXkVwZuNbHcLdSeRfTgUw=="
    private static let annotated =
        "u7Hq2LzXw0d5Tn9bKc1RyVe8Ga4SpJmFi3Bo6ZtQxUvEhCAgNkPMJQQJ99BAACYeBjFXJ3w3AAAFACOGk4Qz"

    private struct Found: Hashable {
        let kind: SecretMatch.Kind
        let service: String?
        let resource: String?
    }

    private static func found(_ text: String) -> [Found] {
        SecretScanner.matches(in: Array(text.utf8)).map {
            Found(kind: $0.kind, service: $0.service, resource: $0.resource)
        }
    }

    @Test(arguments: [
        (
            "Endpoint=https://push.service.signalr.net;AccessKey=\(key32);Version=1.0;", "Azure SignalR",
            "push.service.signalr.net"
        ),
        (
            "endpoint=https://push.webpubsub.azure.com;accesskey=\(key32)", "Azure Web PubSub",
            "push.webpubsub.azure.com"
        ),
        (
            "'endpoint=https://push.communication.azure.com/;accesskey=\(key64)'", "Azure Communication Services",
            "push.communication.azure.com"
        ),
        (
            "Endpoint=https://push.azconfig.io;Id=a-l0-s0:b;Secret=\(key32)", "Azure App Configuration",
            "push.azconfig.io"
        ),
        (
            "push.redis.cache.windows.net:6380,password=\(key32),ssl=True", "Azure Cache for Redis",
            "push.redis.cache.windows.net"
        ),
        (
            "push.redis.cache.windows.net:6380, password=\(key32), ssl=True", "Azure Cache for Redis",
            "push.redis.cache.windows.net"
        ),
        (
            "password=\(key32), ssl=True, push.redis.cache.windows.net:6380", "Azure Cache for Redis",
            "push.redis.cache.windows.net"
        ),
        ("https://push.azurewebsites.net/api/send?code=\(key40)", "Azure Functions", "push.azurewebsites.net"),
        (
            "rediss://:\(key32)@push.redis.cache.windows.net:6380", "Azure Cache for Redis",
            "push.redis.cache.windows.net"
        ),
        (
            "rediss://:\(key32)@push.redis.cache.windows.net:6380, redis://other.redis.cache.windows.net",
            "Azure Cache for Redis", "push.redis.cache.windows.net"
        ),
        ("Endpoint=https://push.azconfig.io;Id=a;Secret=\(annotated)", "Azure App Configuration", "push.azconfig.io"),
    ])
    func `finds a key in a connection string`(text: String, service: String, host: String) {
        #expect(Self.found(text) == [Found(kind: .serviceKey, service: service, resource: host)])
    }

    @Test(arguments: [
        (annotated, "an Azure service"), (annotated + "4Q==", "an Azure service"),
        ("u7Hq2LzXw0d5Tn9bKc1RyVe8Ga4SpJmFi3Bo6ZtQxUv_AzFuhCAgNQ==", "Azure Functions"),
        ("u7Hq2LzXw0d5Tn9bKc1RyVe8Ga4SpJmFiAzCaBo6ZtQ=", "Azure Cache for Redis"),
    ])
    func `finds a key by its marker`(key: String, service: String) {
        for text in [key, "key: '\(key)'", "{\"a\":\"\(key)\"}"] {
            #expect(Self.found(text) == [Found(kind: .serviceKey, service: service, resource: nil)], "\(text)")
        }
    }

    @Test(arguments: [
        "aB3", "_.~", "x-9",
    ])
    func `finds a client secret`(start: String) {
        for (digit, rest) in [("8", "k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf6Jg"), ("7", "k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf")] {
            let secret = "\(start)\(digit)Q~\(rest)"
            for text in [
                secret, "AZURE_CLIENT_SECRET=\(secret)\n", "\"\(secret)\"", "<a>\(secret)</a>", "It is \(secret).",
                #""a\n\#(secret)\r\n""#,
            ] {
                #expect(Self.found(text) == [Found(kind: .clientSecret, service: nil, resource: nil)], "\(text)")
            }
        }
    }

    @Test(arguments: [
        // Without the host or the field of the service, or with a placeholder.
        "Endpoint=https://push.example.com;AccessKey=\(key32);", "https://push.service.signalr.net \(key32)",
        "Endpoint=https://push.service.signalr.net;NotAccessKey=\(key32);",
        "see push.redis.cache.windows.net:6380 password=\(key32)",
        "Endpoint=https://push.service.signalr.net;AccessKey=<key>;Version=1.0;",
        "Endpoint=https://push.service.signalr.net;AccessKey=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=;",
        "https://push.azurewebsites.net/api/send?state=\(key40)", "https://example.com/api/send?code=\(key40)",
        // The fixed text at another place, or in a key of another length.
        "u7Hq2LzXw0d5Tn9bKc1RyVe8Ga4SpJmFi3Bo6ZtQxUvEhCAgNkPJQQJ99BAACYeBjFXJ3w3AAAFACOGk4Qz1",
        "\(annotated)x", "x\(annotated)", "u7Hq2LzXw0d5Tn9bKc1RyVe8Ga4SpJmFAzCaBBo6ZtQ=",
        // Client secrets of other lengths, without a digit, or in the middle of other text.
        "aB38Q~k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf6J", "aB38Q~k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf6Jgg",
        "aB3xQ~k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf6Jg", "/aB38Q~k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf6Jg",
        "aB38Q~abcdefghijklmnopqrstuvwxyz01234567", "aB38Q~xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "8Q~", "Q~", "~",
        "[a-zA-Z0-9_~.]{3}8Q~[a-zA-Z0-9_~.-]{34}",
    ])
    func `ignores text that resembles a key`(text: String) {
        #expect(Self.found(text) == [])
    }

    @Test func `finds secrets in UTF-16 that two parts share`() {
        let text = "a8~ aB38Q~k2Lq_Zt4.Xw9-Vb7Ny0Rc5~Hm8Pd1Sf6Jg, \(Self.annotated)"
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(SecretScanner.matches(in: bytes).map(\.kind) == [.clientSecret, .serviceKey])
        for middle in bytes.indices {
            var scanner = SecretScanner()
            let parts =
                scanner.scan(bytes, 0..<middle, offset: 0) + scanner.scan(bytes, middle..<bytes.count, offset: 0)
            #expect(parts.map(\.kind) == [.clientSecret, .serviceKey], "split at \(middle)")
        }
    }

    @Test func `finds an account key beside a service key`() {
        let text = #"{"k":"\#(Self.annotated)\nAccountKey\u003d\#(Self.key64.replacing("=", with: #"\u003d"#))"}"#
        #expect(Set(Self.found(text).map(\.kind)) == [.serviceKey, .accountKey])
    }

    @Test func `finds keys in encoded text`() {
        let text =
            "Endpoint=https:%2F%2Fpush.service.signalr.net%3BAccessKey%3D\(Self.key32.replacing("=", with: "%3D"))"
        #expect(Self.found(text).map(\.service) == ["Azure SignalR"])
    }
}
