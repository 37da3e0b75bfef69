extension InstallationCommand {
    static let help = """
        OVERVIEW: Look at a device's installation, or change it.

        USAGE: nhub installation get ID
               nhub installation exists ID [--json]
               nhub installation put (FILE | -) [--json]
               nhub installation patch ID [FILE | -] [changes] [--json]
               nhub installation delete ID [--json]

        get       Prints the installation as JSON, in a line, with every member that the hub has: of a browser, its
                  secret too.
        exists    Asks whether there is one. A hub that there is not has none either: see nhub check.
        put       Creates an installation, or replaces all of it. The JSON is checked before anything is sent.
        patch     Changes parts of one: operations (RFC 6902) as a JSON array, and then the changes of the options.
        delete    Deletes one.

        The hub takes what is written at once and carries it out later, within seconds as a rule.

        CHANGES:
          --add-tag TAG     Add a tag. May be there more than once.
          --remove-tag TAG  Remove a tag. May be there more than once.
          --set-user USER   Say whose device it is.
          --remove-user     Say that it is nobody's.

        OPERATIONS:
          [{"op": "add", "path": "/tags", "value": ["news", "sports"]},
           {"op": "replace", "path": "/tags", "value": ["news"]},
           {"op": "remove", "path": "/tags/news"},
           {"op": "add", "path": "/templates/NAME", "value": {"body": "..."}},
           {"op": "replace", "path": "/templates/NAME/body", "value": "..."},
           {"op": "remove", "path": "/templates/NAME"},
           {"op": "replace", "path": "/userId", "value": "zoe"},
           {"op": "remove", "path": "/userId"},
           {"op": "replace", "path": "/pushChannel", "value": "HANDLE"}]

          A template's headers, expiry and tags have paths, too, and so has a tile: /secondaryTiles/ID/pushChannel, tags and
          templates. Each is sent in the form in which Microsoft's SDKs send it. Several tags in one text, which the service
          would take for one, are refused, and so is every other operation.

        OPTIONS:
          --json            Print an object: operation, installationId, accepted; of exists, installationId and exists.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  done; of exists, it is there
          1  the hub refused it, or could not be reached; of exists, it is not there
          2  the command line or a setting is wrong; nothing was sent
          3  the file cannot be read, or cannot be sent as it is; nothing was sent. Of exists, nobody knows
          128 + N  broken off by signal N (130 by an interrupt); what was under way may be carried out
        """
}
