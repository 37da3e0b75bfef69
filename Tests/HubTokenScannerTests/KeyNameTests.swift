import HubTokenScanner
import Testing

/// Tests of the names under which a value in the format of a key is a key, without any other word of Azure.
@Suite struct KeyNameTests {
    /// 32 random bytes.
    private static let value = "mV3+x0Qe7Zk1uYb/4sLhW9tRcJ2nGf8DpA6iXoK5EwU="

    private static func kinds(_ text: String) -> [SecretMatch.Kind] {
        SecretScanner.matches(in: Array(text.replacing("VALUE", with: value).utf8)).map(\.kind)
    }

    @Test(arguments: [
        "export POLICY_KEY='VALUE'", #"policyKey = "VALUE""#, #"let policyKey = "VALUE""#,
        #"let policyKey: String = "VALUE""#, "primary_access_key: VALUE", #""primaryKey": "VALUE""#, "HUB_KEY=VALUE",
        "ACCESS_KEY=VALUE", #"{"accessKey":"VALUE"}"#, "ACCESSKEY = 'VALUE'", "accesskey: VALUE", "push-key: VALUE",
        "PUSH_SECRET=VALUE", "pushSecret: 'VALUE',", "clientsecret=VALUE", "SECRET=VALUE", "sendKey=VALUE",
        "sendkey=VALUE", "FullAccessKey=VALUE", "policyKey1=VALUE", "POLICY_KEY_2=VALUE", "POLICY_KEY_BASE64=VALUE",
        "push_key_value: VALUE", #"os.environ["POLICY_KEY"] = "VALUE""#, #"setenv("POLICY_KEY", "VALUE", 1)"#,
        "program --policy-key VALUE", "program --policy-key=VALUE", "<policyKey>VALUE</policyKey>",
        "policy_key => 'VALUE'", "('policy_key', 'VALUE')", "policy_key,VALUE", #"{\"policyKey\":\"VALUE\"}"#,
        "{\n  \"sha256\": \"VALUE\",\n  \"policyKey\": \"VALUE\"\n}", "x=1;policyKey=\"VALUE\"",
    ])
    func `finds a key under a name that ends in key or secret`(text: String) {
        #expect(Self.kinds(text) == [.key])
    }

    @Test(arguments: [
        // Digests and other values that are not secret.
        "VALUE", "value = VALUE", "digest: VALUE", #""integrity": "sha256-VALUE""#, #"{"sha256":"VALUE"}"#,
        "etag=VALUE",
        "contoso/module v1.2.3 h1:VALUE", "body = 'VALUE'", "keyHash: VALUE", "key_sha256 = VALUE", "keyID=VALUE",
        "keyName = VALUE", "monkeys: VALUE", "secretary: VALUE",
        // Names of keys of other kinds.
        "PUBLIC_KEY=VALUE", "publicKey: VALUE", "PUBKEY=VALUE", "ssh_pubkey: VALUE", "PrivateKey = VALUE",
        "PRESHAREDKEY=VALUE", "partitionKey=VALUE", "PARTITIONKEY=VALUE", "cacheKey: 'VALUE'", "cachekey=VALUE",
        "ENCRYPTION_KEY=VALUE", "SESSION_SECRET=VALUE", "cookie_secret: VALUE", "verifyKey: VALUE", "PEER_KEY=VALUE",
        "SCRAM-SHA-256=salt=c2FsdA==,stored_key=VALUE",
        // The keys of dictionaries.
        "key: VALUE", #"{"key":"VALUE","value":1}"#,
        // Not an assignment on the same line.
        "the policy key VALUE", "policyKey:\n  other: VALUE", "policyKey = load()\ntext = VALUE",
    ])
    func `reports no other value in the format of a key`(text: String) {
        #expect(Self.kinds(text) == [])
    }

    @Test(arguments: [
        "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",  // Readable text.
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "abababababababababababababababababababababa=",
        "mV3+x0Qe7Zk1uYb/4sLhW9tRcJ2nGf8DpA6iXoK5Ew==", "mV3+x0Qe7Zk1uYb/4sLhW9tRcJ2nGf8DpA6iXoK5EwV=",
        "3d5b1f0e9c8a7b6d4e2f1a0b9c8d7e6f5a4b3c2d1e0f",
    ])
    func `reports no value that Azure would not generate`(value: String) {
        #expect(SecretScanner.matches(in: Array("POLICY_KEY=\(value)".utf8)).isEmpty)
    }
}
