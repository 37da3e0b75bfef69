import Dispatch
import NotificationHubs
import NotificationHubsHTTP
import SharedAccessSignature

// Runs one walk of the article "Architecture" for Tests/Scripts/documentation/walks: `header`, or `send PORT`.
let words = CommandLine.arguments.dropFirst()
if words.first == "header" {
    let key = SharedAccessKey(name: "send", secret: "c2VzYW1l")
    let signer = SASSigner(key: key, resource: "https://contoso.servicebus.windows.net/hub")
    print(signer.token(validFor: .seconds(600)).headerValue)
} else {
    let connectionString =
        "Endpoint=sb://127.0.0.1:\(words.last ?? "");SharedAccessKeyName=send;SharedAccessKey=c2VzYW1l;UseDevelopmentEmulator=true"
    let hub = try NotificationHub(connectionString: connectionString, hubName: "hub", transport: .http)
    // Callgrind crashes in the main queue's signal handling, so the main thread does not run it.
    let isSent = DispatchSemaphore(value: 0)
    Task.detached {
        _ = try await hub.send(.template(["message": "a"]), to: .tag("news"))
        isSent.signal()
    }
    isSent.wait()
}
