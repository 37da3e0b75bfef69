import HubCommandLine
import NotificationHubs
import SharedAccessSignature

/// `nhub check`: says whether the hub accepts the token, and what the policy allows.
enum CheckCommand: Subcommand {
    static let name = "check"
    static let summary = "Say whether the hub accepts the key, and what its policy allows."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let caFile = try arguments.caFile()
        let asJSON = arguments.flag("--json")
        let sends = arguments.flag("--send")
        try arguments.finish()
        let settings = try HubSettings.fromEnvironment(caFile: caFile)
        let hub = try settings.hub()
        return try await Interrupt.endingEarly {
            let probe = HubProbe(hub)
            let (token, listen) = try await probe.tokenAndListen()
            var send = Finding.unknown("nothing can be told without an accepted token")
            var manage = send
            if token.answer == true {
                send =
                    sends
                    ? try await probe.send() : .unknown("not asked for: --send sends a message that reaches nobody")
                manage = try await probe.manage()
            }
            var fields = Fields()
            fields.add("endpoint", "endpoint", "\(hub.endpoint)")
            fields.add("hub", "hub", hub.name.rawValue)
            if case .key(let key) = settings.connection.credential { fields.add("policy", "policy", key.name) }
            fields.add("token", token, word: token.word(yes: "accepted", no: "refused"))
            fields.add("listen", listen, word: listen.word())
            fields.add("send", send, word: send.word())
            fields.add("manage", manage, word: manage.word())
            try fields.write(asJSON: asJSON)
            return token.answer == true ? .success : .failure
        }
    }
}

extension Fields {
    fileprivate mutating func add(_ name: String, _ finding: Finding, word: String) {
        addLine(name, "\(word): \(finding.why)")
        addMember {
            var object = JSONOutput()
            object.add("answer", word)
            object.add("why", finding.why)
            $0.add(name, object)
        }
    }
}

extension CheckCommand {
    static let help = """
        OVERVIEW: Say whether the hub accepts the key, and which rights the key's policy has.

        USAGE: nhub check [--send] [--json]

        Asks for an installation with a random id, as the tutorial does: a hub that accepts the token says that there is
        none. Then it lists the registrations of a random tag, of which there are none. Neither changes anything.

        The token is accepted, refused or unknown, and a right is yes, no or unknown, each with the reason: what an answer
        does not tell is not guessed.

        OPTIONS:
          --send            Find out about the right to send, too: send one template message to a random tag. It reaches
                            nobody, but may count as a push.
          --json            Print an object: endpoint, hub, policy; token, listen, send and manage, each with answer and why.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  the hub accepts the token
          1  it does not, or that could not be found out
          2  the command line or a setting is wrong; nothing was sent
          3  the result cannot be written
          128 + N  broken off by signal N (130 by an interrupt)
        """
}

/// What was found out about one thing, and how it is known.
struct Finding {
    /// Yes or no; `nil` if it was not found out.
    let answer: Bool?
    /// Why that is known, or is not.
    let why: String

    static func yes(_ why: String) -> Finding { Finding(answer: true, why: why) }
    static func no(_ why: String) -> Finding { Finding(answer: false, why: why) }
    static func unknown(_ why: String) -> Finding { Finding(answer: nil, why: why) }

    /// The answer in a word.
    func word(yes: String = "yes", no: String = "no") -> String {
        answer.map { $0 ? yes : no } ?? "unknown"
    }
}
