extension SendCommand {
    static let help = """
        OVERVIEW: Send a message to devices.

        USAGE: nhub send template TARGET [--test [--handles]] [--json] NAME=VALUE...
               nhub send FORMAT TARGET [options] [--test [--handles]] [--json] (FILE | -)

        template fills the devices' own templates with the values. Every other FORMAT is for the devices of one platform,
        and has the message in a file or on standard input: apple, fcmv1, gcm, adm, baidu, browser and xiaomi as a JSON
        object, windows and windowsphone as XML. It is checked before anything is sent.

        \(MessageTarget.help)
          --device HANDLE       One device, by the handle that its platform gave to it; the hub need not know it. Not for
                                template, browser and --test.

        \(MessageSource.help)

        OPTIONS:
          --test            Send it to ten devices at most, and print what became of it at each.
          --handles         Print the devices' handles with that. They are secrets of the devices.
          --json            Print an object: accepted, notificationId, trackingId, correlationId, as far as the hub gives
                            them; of a test, successCount, failureCount and results.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  the hub has taken it; whether a device shows it, nhub outcome tells
          1  the hub refused it, or could not be reached; of a test, also if a platform refused it. An error that begins
             with "perhaps sent" means that the hub may have taken it: sending it again may show it twice.
          2  the command line or a setting is wrong; nothing was sent
          3  the file cannot be read, or cannot be sent as it is; nothing was sent. Or the result cannot be written
          128 + N  broken off by signal N (130 by an interrupt); the hub may have taken it
        """
}

extension ScheduleCommand {
    static let help = """
        OVERVIEW: Have the hub send a message later. This needs a hub of the Standard tier.

        USAGE: nhub schedule template TARGET (--at TIME | --in SPAN) [--json] NAME=VALUE...
               nhub schedule FORMAT TARGET (--at TIME | --in SPAN) [options] [--json] (FILE | -)

        The formats are those of nhub send. nhub cancel takes the message back, by its notification id.

        TIME:
          --at TIME             A time with its zone, such as 2026-11-21T18:00:00Z.
          --in SPAN             So long from now: 10m, 2h, 1d. The hub takes five minutes to seven days, by its own clock.

        \(MessageTarget.help)

        \(MessageSource.help)

        OPTIONS:
          --json            Print an object: accepted, scheduledFor, notificationId, trackingId, correlationId.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          As that of nhub send.
        """
}

extension CancelCommand {
    static let help = """
        OVERVIEW: Take back a message that was scheduled.

        USAGE: nhub cancel ID [--json]

        ID is the notification id that nhub schedule printed.

        OPTIONS:
          --json            Print an object: notificationId, cancelled.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  it is cancelled
          1  it is not: the hub has it no more, as the output says; or the hub refused, or could not be reached, as the error
             says
          2  the command line or a setting is wrong; nothing was sent
          3  the result cannot be written
          128 + N  broken off by signal N (130 by an interrupt); it may be cancelled
        """
}

extension OutcomeCommand {
    static let help = """
        OVERVIEW: Say what became of a message. This needs a hub of the Standard tier.

        USAGE: nhub outcome ID [--wait[=SPAN]] [--error-details] [--json]

        ID is the notification id that nhub send printed. For seconds, up to half an hour, the hub knows nothing of it.

        OPTIONS:
          --wait[=SPAN]     Ask again until the message has come to its end, for half an hour or so long: 90s, 10m, 2h. New
                            states go to standard error.
          --error-details   Print the URL of the list of errors, if there is one. It is a secret: it opens the list.
          --json            Print an object: notificationId, state, isTerminal, enqueueTime, startTime, endTime, tags,
                            targetPlatforms, counts (by platform and result), body, location, as far as the hub gives them.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  the hub has told it, whatever it is; with --wait, to its end
          1  the hub knows nothing of it, or not yet; with --wait, its end did not come; or the hub could not be reached
          2  the command line or a setting is wrong; nothing was sent
          3  the result cannot be written
          128 + N  broken off by signal N (130 by an interrupt)
        """
}

extension MessageTarget {
    /// The part of a help that is about targets.
    static let help = """
        TARGET, exactly one:
          --tag TAG             Devices with a tag.
          --tags TAG,TAG,...    Devices with any of these tags, 20 at most.
          --expression TEXT     Devices that an expression is true of: '(news || sports) && !quiet'.
          --installation ID     The device of an installation.
          --user USER           The devices of a user.
          --everyone            All devices. Nothing else reaches all: a target that names nobody is an error.
        """
}

extension MessageSource {
    /// The part of a help that is about the options of formats.
    static let help = """
        OPTIONS of apple:
          --push-type TYPE      alert, background, voip, liveactivity, ...; without it, the message tells which of the first
                                two.
          --priority NUMBER     1, 5 or 10; without it, 10, or 5 for background.
          --expires WHEN        Until when to try: once, a time span such as 2h, or a time such as 2026-11-21T18:00:00Z.
          --topic TOPIC         The app's bundle id, with what the push type appends to it.
          --collapse-id ID      Of the messages of one id a device shows the last.

        OPTIONS of windows and windowsphone:
          --raw                 The file is no XML, but bytes that the app alone understands.
        """
}
