import HubCommandLine
import NotificationHubs

extension SendCommand {
    static let command = Command(
        "send", summary: "Send a message to devices.",
        usage: [
            "template TARGET [options] [--test [--handles]] [--strict] [--json] NAME=VALUE...",
            "FORMAT TARGET [options] [--test [--handles]] [--strict] [--json] (FILE | -)",
        ],
        discussion: [
            """
            template fills in the devices' own templates with the values. Every other FORMAT addresses the devices of one \
            platform and reads the message from a file or standard input. The parts that the platform will refuse or ignore are \
            printed as warnings; with --strict, a message that the platform would refuse is not sent.
            """,
            """
            For the templates that a message fills in, use nhub why.
            """,
        ],
        actions: .formats,
        groups: [
            .target(
                .init(
                    .device, value: "HANDLE",
                    help: """
                        One device, by its platform handle. The device need not be registered with the hub. Not supported for \
                        template, browser and --test.
                        """)), .apple, .windows,
            .init([
                .init(.test, help: "Send to at most ten devices, and print the result for each."),
                .init(.handles, help: "With --test, also print the devices' handles, which are secret."), .strict,
                .init(
                    .json,
                    help: """
                        Print a JSON object: accepted, problems if there are any, and notificationId, trackingId and \
                        correlationId if the hub returns them; with --test, successCount, failureCount and results.
                        """),
            ]), .connection,
        ],
        sections: [.environment, exitStatus])

    fileprivate static let exitStatus = Command.Section(
        exitStatus: [
            (.success, "the hub accepted the message; see nhub outcome for its delivery"),
            (
                .failure,
                """
                the hub rejected the message, or could not be reached; with --test, also if a platform rejected the message. \
                An error that begins with "delivery unknown" means that the hub may have accepted the message; sending it \
                again may deliver it twice
                """
            ), (.usage, "invalid command line or setting; nothing was sent"),
            (
                .unreadable,
                """
                the file cannot be read or is invalid, or the platform would refuse it (with --strict), and nothing was sent; \
                or the result cannot be written
                """
            ),
        ], signal: "; the hub may have accepted the message")
}

extension ScheduleCommand {
    static let command = Command(
        "schedule", summary: "Schedule a message for later.",
        overview: "Schedule a message for later. Requires the Standard tier.",
        usage: [
            "template TARGET (--at TIME | --in SPAN) [options] [--strict] [--json] NAME=VALUE...",
            "FORMAT TARGET (--at TIME | --in SPAN) [options] [--strict] [--json] (FILE | -)",
        ],
        discussion: [
            "To cancel the message, pass its notification ID to nhub cancel. The service cannot schedule for a handle."
        ],
        actions: .formats,
        groups: [
            .init(
                [
                    .init(
                        .at, value: "TIME", help: "The time with its time zone, such as 2026-11-21T18:00:00Z."),
                    .init(
                        .in, value: "SPAN",
                        help: """
                            The time from now, such as 10m, 2h or 1d. The hub accepts five minutes to seven days, by its own \
                            clock.
                            """),
                ], title: "TIME"), .target(), .apple, .windows,
            .init([
                .strict,
                .init(
                    .json,
                    help: "Print a JSON object: accepted, problems if there are any, scheduledFor, notificationId."),
            ]),
            .connection,
        ],
        sections: [.environment, SendCommand.exitStatus])
}

extension CancelCommand {
    static let command = Command(
        "cancel", summary: "Cancel a scheduled message.", usage: ["ID [--json]"],
        discussion: ["ID is the notification ID that nhub schedule printed."],
        groups: [.init([.init(.json, help: "Print a JSON object: notificationId, cancelled.")]), .connection],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "the message is cancelled"),
                    (
                        .failure,
                        "the hub has no such scheduled message, rejected the request, or could not be reached"
                    ), (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the result cannot be written"),
                ], signal: "; the hub may still cancel the message"),
        ])
}

extension OutcomeCommand {
    static let command = Command(
        "outcome", summary: "Show the outcome of a message.",
        overview: "Show the outcome of a message. Requires the Standard tier.",
        usage: ["ID [--wait[=SPAN]] [--error-details] [--json]"],
        discussion: [
            """
            ID is the notification ID that nhub send printed. The hub may return no outcome for up to half an hour after the \
            send.
            """
        ],
        groups: [
            .init([
                .init(
                    .wait, value: "SPAN", isValueOptional: true,
                    help: """
                        Poll until the state is terminal, for at most SPAN, such as 90s, 10m or 2h. Default: 30m. New states \
                        are printed to standard error.
                        """),
                .init(
                    .errorDetails,
                    help: """
                        Print the URL of the error list, if there is one. The URL is secret, since it grants access.
                        """),
                .init(
                    .json,
                    help: """
                        Print a JSON object: notificationId, state, isTerminal, enqueueTime, startTime, endTime, tags, \
                        targetPlatforms, counts (by platform and result), body, location, and errorDetailsUrl or \
                        hasErrorDetails, if the hub returns them.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "the outcome was printed; with --wait, its state is terminal"),
                    (
                        .failure,
                        """
                        the hub has no outcome of the message yet, rejected the request, or could not be reached; with \
                        --wait, also if the state is not terminal
                        """
                    ), (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the result cannot be written"),
                ], signal: ""),
        ])
}

extension Command.Actions {
    /// The formats of messages.
    fileprivate static let formats = Self(
        MessageFormat.all.map { format in
            guard let platform = format.platform else {
                return .init(format.name, help: "The values NAME=VALUE for the devices' templates.")
            }
            let isXML = [.windows, .windowsPhone].contains(platform)
            let aliases = PlatformName.aliases(of: platform)
            let also = aliases.isEmpty ? "" : " Also: \(aliases.joined(separator: ", "))."
            return .init(
                format.name, aliases: aliases, operand: .file,
                help: "\(isXML ? "XML, or raw bytes," : "A JSON object") for the platform \(platform).\(also)")
        }, noun: "format")
}

extension Command.OptionGroup {
    /// The options for the target.
    fileprivate static func target(_ more: CommandOption...) -> Self {
        .init(
            [
                .targetTag,
                .init(
                    .tags, value: "TAG,TAG,...", help: "Devices with at least one of these tags; at most 20 tags."),
                .targetExpression, .targetInstallation, .targetUser, .targetEveryone,
            ] + more, title: "TARGET, exactly one of")
    }

    fileprivate static let apple = Self(
        [
            .init(
                .pushType, value: "TYPE",
                help: """
                    The push type, such as alert, background, voip, liveactivity or widgets. Default: alert or background, \
                    depending on the message; none for template.
                    """),
            .init(
                .priority, value: "NUMBER", kind: .choices(MessageHeaders.priorities.map { String($0.rawValue) }),
                help: "The priority: 1, 5 or 10. Default: 10, or 5 for background; none for template."),
            .init(
                .expires, value: "WHEN",
                help: """
                    When to stop delivery attempts: once for a single attempt, a duration such as 2h, or a time such as \
                    2026-11-21T18:00:00Z.
                    """),
            .init(
                .topic, value: "TOPIC",
                help: """
                    The topic. Not supported by Microsoft: the bundle ID in the hub's credentials decides, so VoIP and Live \
                    Activities need a second hub whose bundle ID has their suffix.
                    """),
            .init(
                .collapseID, value: "ID",
                help: "The collapse ID. A device shows only the last message with the same ID."),
            .header,
        ], title: "OPTIONS for apple and template")

    fileprivate static let windows = Self(
        [.init(.raw, help: "Send the file as raw bytes instead of XML."), .header],
        title: "OPTIONS for windows and windowsphone")
}

extension CommandOption {
    static let targetTag = Self(.tag, value: "TAG", help: "Devices with a tag.")
    static let targetExpression = Self(
        .expression, value: "TEXT", help: "Devices that match a tag expression, such as '(news || sports) && !quiet'.")
    static let targetInstallation = Self(.installation, value: "ID", help: "The device of an installation.")
    static let targetUser = Self(.user, value: "USER", help: "The devices of a user.")
    static let targetEveryone = Self(.everyone, help: "All devices.")

    static let strict = Self(
        .strict, help: "Send nothing if the platform would refuse the message, or if no device would show it.")

    static let header = Self(
        .header, value: "NAME=VALUE",
        help: "A header for the platform that it belongs to, such as apns-collapse-id=7 or X-WNS-TTL=60. Repeatable.")
}
