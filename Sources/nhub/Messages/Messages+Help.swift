extension SendCommand {
    static let help = """
        OVERVIEW: Send a message to devices.

        USAGE: nhub send template TARGET [--test [--handles]] [--json] NAME=VALUE...
               nhub send FORMAT TARGET [options] [--test [--handles]] [--json] (FILE | -)

        template fills in the devices' own templates with the values. Every other FORMAT addresses the devices of one
        platform and reads the message from a file or standard input: apple, fcmv1, gcm, adm, baidu, browser and xiaomi as a
        JSON object, windows and windowsphone as XML. The message is validated before it is sent.

        \(MessageTarget.help)
          --device HANDLE       One device, by its platform handle. The device need not be registered with the hub. Not
                                supported for template, browser and --test.

        \(MessageSource.help)

        OPTIONS:
          --test            Send to at most ten devices, and print the result for each.
          --handles         With --test, also print the devices' handles, which are secret.
          --json            Print a JSON object: accepted, and notificationId, trackingId and correlationId if the hub returns
                            them; with --test, successCount, failureCount and results.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  the hub accepted the message; see nhub outcome for its delivery
          1  the hub rejected the message, or could not be reached; with --test, also if a platform rejected the message.
             An error that begins with "delivery unknown" means that the hub may have accepted the message; sending it
             again may deliver it twice
          2  invalid command line or setting; nothing was sent
          3  the file cannot be read or is invalid, and nothing was sent; or the result cannot be written
          128 + N  ended by signal N (130 for an interrupt); the hub may have accepted the message
        """
}

extension ScheduleCommand {
    static let help = """
        OVERVIEW: Schedule a message for later. Requires the Standard tier.

        USAGE: nhub schedule template TARGET (--at TIME | --in SPAN) [--json] NAME=VALUE...
               nhub schedule FORMAT TARGET (--at TIME | --in SPAN) [options] [--json] (FILE | -)

        The formats are those of nhub send. To cancel the message, pass its notification ID to nhub cancel.

        TIME:
          --at TIME             The time with its time zone, such as 2026-11-21T18:00:00Z.
          --in SPAN             The time from now, such as 10m, 2h or 1d. The hub accepts five minutes to seven days, by its
                                own clock.

        \(MessageTarget.help)

        \(MessageSource.help)

        OPTIONS:
          --json            Print a JSON object: accepted, scheduledFor, notificationId.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          As for nhub send.
        """
}

extension CancelCommand {
    static let help = """
        OVERVIEW: Cancel a scheduled message.

        USAGE: nhub cancel ID [--json]

        ID is the notification ID that nhub schedule printed.

        OPTIONS:
          --json            Print a JSON object: notificationId, cancelled.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  the message is cancelled
          1  the hub has no such scheduled message, rejected the request, or could not be reached
          2  invalid command line or setting; nothing was sent
          3  the result cannot be written
          128 + N  ended by signal N (130 for an interrupt); the hub may still cancel the message
        """
}

extension OutcomeCommand {
    static let help = """
        OVERVIEW: Show the outcome of a message. Requires the Standard tier.

        USAGE: nhub outcome ID [--wait[=SPAN]] [--error-details] [--json]

        ID is the notification ID that nhub send printed. The hub may return no outcome for up to half an hour after the send.

        OPTIONS:
          --wait[=SPAN]     Poll until the state is terminal, for at most SPAN, such as 90s, 10m or 2h. Default: 30m. New
                            states are printed to standard error.
          --error-details   Print the URL of the error list, if there is one. The URL is secret, since it grants access.
          --json            Print a JSON object: notificationId, state, isTerminal, enqueueTime, startTime, endTime, tags,
                            targetPlatforms, counts (by platform and result), body, location, and errorDetailsUrl or
                            hasErrorDetails, if the hub returns them.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  the outcome was printed; with --wait, its state is terminal
          1  the hub has no outcome of the message yet, rejected the request, or could not be reached; with --wait, also if
             the state is not terminal
          2  invalid command line or setting; nothing was sent
          3  the result cannot be written
          128 + N  ended by signal N (130 for an interrupt)
        """
}

extension MessageTarget {
    /// The help section on targets.
    static let help = """
        TARGET, exactly one of:
          --tag TAG             Devices with a tag.
          --tags TAG,TAG,...    Devices with at least one of these tags; at most 20 tags.
          --expression TEXT     Devices that match a tag expression, such as '(news || sports) && !quiet'.
          --installation ID     The device of an installation.
          --user USER           The devices of a user.
          --everyone            All devices.
        """
}

extension MessageSource {
    /// The help section on the options of formats.
    static let help = """
        OPTIONS for apple:
          --push-type TYPE      The push type: alert, background, voip, liveactivity, ... Default: alert or background,
                                depending on the message.
          --priority NUMBER     The priority: 1, 5 or 10. Default: 10, or 5 for background.
          --expires WHEN        When to stop delivery attempts: once for a single attempt, a duration such as 2h, or a
                                time such as 2026-11-21T18:00:00Z.
          --topic TOPIC         The app's bundle ID, followed by the push type's suffix.
          --collapse-id ID      The collapse ID. A device shows only the last message with the same ID.

        OPTIONS for windows and windowsphone:
          --raw                 Send the file as raw bytes instead of XML.
        """
}
