import HubCommandLine

/// `nhub profiles`: lists the profiles of the configuration file.
enum ProfilesCommand: Subcommand {
    static let command = Command(
        "profiles", summary: "List the profiles of the configuration file, without secrets.", usage: ["[--json]"],
        discussion: [
            """
            A profile names a hub. Each command that connects to a hub accepts --profile. The file is nhub/config in \
            $XDG_CONFIG_HOME or ~/.config. If it contains a connection string, it must belong to you and have mode 600.
            """,
            """
            A command takes the connection string from the first of: --connection-string-env or --connection-string-file; \
            --profile or NHUB_PROFILE; the environment; the profile "default". The hub's name comes from --hub, or else from \
            the same places in the same order, where EntityPath in the connection string counts as a name. A selected profile \
            replaces the environment.
            """,
        ],
        groups: [
            .init([.init(.json, help: "Print a JSON object: path, profiles (each with name, hub and connection).")])
        ],
        sections: [
            .init(
                "CONFIGURATION FILE",
                lines: """
                    # Each profile needs exactly one connection-string key. Paths can start with ~/.
                    [default]
                    connection-string = Endpoint=sb://...
                    hub = push

                    [staging]
                    connection-string-env = STAGING_CONNECTION_STRING
                    hub = push

                    [production]
                    connection-string-file = ~/secrets/production
                    """),
            .init(
                "ENVIRONMENT",
                list: [("XDG_CONFIG_HOME", "The directory that contains nhub/config. Default: ~/.config.")]),
            .init(exitStatus: [
                (.success, "the profiles were printed"),
                (.usage, "the file is missing or invalid, or other users can access a connection string in it"),
                (.unreadable, "the result cannot be written"),
            ]),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let asJSON = arguments.flag(.json)
        try arguments.finish()
        let file = try ProfileFile.read()
        var fields = Fields()
        fields.addMember {
            $0.add("path", file.path)
            $0.add("profiles", file.profiles.map(\.json))
        }
        for profile in file.profiles { fields.addLine(profile.name, profile.summary) }
        try fields.write(asJSON: asJSON)
        return .success
    }
}

extension ProfileFile.Profile {
    /// The place of the connection string, without a secret.
    fileprivate var connection: String? {
        switch connectionKey {
        case .connectionStringVariable?: settings[.connectionStringVariable].map { "environment variable \($0.value)" }
        // A path can be a misplaced secret.
        case .connectionStringFile?: "another file"
        case .connectionString?: "this file"
        default: nil
        }
    }

    fileprivate var summary: String {
        "hub \(settings[.hub]?.value ?? "from EntityPath"), connection string \(connection.map { "in \($0)" } ?? "missing")"
    }

    fileprivate var json: JSONOutput {
        var object = JSONOutput()
        object.add("name", name)
        if let hub = settings[.hub]?.value { object.add("hub", hub) }
        if let connection { object.add("connection", connection) }
        return object
    }
}
