import HubCommandLine
import HubLock
import NotificationHubs
import SharedAccessSignature

/// `nhub check`: checks whether the hub accepts the key's token, and which rights the key's policy grants.
enum CheckCommand: Subcommand {
    static let command = Command(
        "check", summary: "Check whether the hub accepts the key, and which rights its policy grants.",
        usage: ["[--send] [--json]"],
        discussion: [
            """
            Looks up an installation with a random ID. If the hub accepts the token, also lists the registrations with a \
            random tag. Neither request changes anything.
            """,
            """
            The clock of this machine is compared with the hub's. The token is reported as accepted, rejected or unknown. Each \
            right is reported as yes, no or unknown. Each result includes the reason.
            """,
        ],
        groups: [
            .init([
                .init(
                    .send,
                    help: """
                        Also test the right to send: send a template message to a random tag. The message reaches no device, \
                        but may count as a push.
                        """),
                .init(
                    .json,
                    help: """
                        Print a JSON object: endpoint, hub, policy, clock; token, listen, send and manage, each with answer \
                        and why.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "the hub accepts the token"),
                    (.failure, "the hub rejects the token, or the result is unknown"),
                    (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the result cannot be written"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let asJSON = arguments.flag(.json)
        let sends = arguments.flag(.send)
        try arguments.finish()
        let settings = try connection.settings()
        let skew = Locked<Duration?>(nil)
        let log = settings.isVerbose ? AttemptLog.observer() : nil
        let hub = try settings.hub(
            options: .init(observer: { event in
                log?(event)
                if let found = event.clockSkew { skew.withLock { $0 = found } }
            }))
        return try await Interrupt.exitStatus {
            let probe = HubProbe(hub)
            let (token, listen) = try await probe.tokenAndListen()
            var send = Finding.unknown(HubProbe.untested)
            var manage = send
            if token.value == true {
                send =
                    sends
                    ? try await probe.send()
                    : .unknown("not tested (--send sends a test message that reaches no device)")
                manage = try await probe.manage()
            }
            var fields = Fields()
            fields.add("endpoint", "endpoint", "\(hub.endpoint)")
            fields.add("hub", "hub", hub.name.rawValue)
            if case .key(let key) = settings.connection.credential { fields.add("policy", "policy", key.name) }
            fields.add("clock", "clock", skew.withLock { $0 }.map(NotificationHub.clockText))
            fields.add("token", token, word: token.word(yes: "accepted", no: "rejected"))
            fields.add("listen", listen, word: listen.word())
            fields.add("send", send, word: send.word())
            fields.add("manage", manage, word: manage.word())
            try fields.write(asJSON: asJSON)
            return token.value == true ? .success : .failure
        }
    }
}

extension Fields {
    fileprivate mutating func add(_ name: String, _ finding: Finding, word: String) {
        addLine(name, "\(word): \(finding.reason)")
        addMember {
            var object = JSONOutput()
            object.add("answer", word)
            object.add("why", finding.reason)
            $0.add(name, object)
        }
    }
}

/// The result of one check, and the reason for it.
struct Finding {
    /// The result, or `nil` if unknown.
    let value: Bool?
    /// The reason for the result.
    let reason: String

    static func yes(_ reason: String) -> Finding { Finding(value: true, reason: reason) }
    static func no(_ reason: String) -> Finding { Finding(value: false, reason: reason) }
    static func unknown(_ reason: String) -> Finding { Finding(value: nil, reason: reason) }

    /// Returns the result as one word.
    func word(yes: String = "yes", no: String = "no") -> String {
        value.map { $0 ? yes : no } ?? "unknown"
    }
}
