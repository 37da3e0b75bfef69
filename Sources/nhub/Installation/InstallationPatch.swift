import HubCommandLine
import NotificationHubs

/// The changes to an installation that a command line asks for.
struct InstallationPatch {
    let id: Installation.ID
    /// Where operations are read from, before the options' own.
    private let input: Input?
    private let changes: [Installation.Patch]

    /// Takes the options.
    static func changes(_ arguments: inout Arguments) throws(UsageError) -> [Installation.Patch] {
        let given = try arguments.values(of: "--add-tag", "--remove-tag", "--set-user")
        let removesUser = arguments.flag("--remove-user")
        let userCount = given.count { $0.option == "--set-user" } + (removesUser ? 1 : 0)
        guard userCount <= 1 else { throw UsageError("--set-user and --remove-user go once, and not together") }

        var changes: [Installation.Patch] = []
        for (option, value) in given {
            changes.append(
                try UsageError.reading(option) {
                    switch option {
                    case "--add-tag": .addTag(try NotificationHub.Tag(validating: value))
                    case "--remove-tag": .removeTag(try removable(value))
                    default: .setUserID(try Installation.UserID(validating: value))
                    }
                })
        }
        return changes + (removesUser ? [.removeUserID] : [])
    }

    /// Takes the operands: all that is left.
    static func take(
        _ changes: [Installation.Patch], from arguments: inout Arguments
    ) throws(UsageError) -> InstallationPatch {
        let operands = try arguments.operands()
        guard let text = operands.first else { throw UsageError("the installation's id is missing") }
        guard operands.count <= 2 else {
            throw UsageError("the argument \(Arguments.quoted(operands[2])) is one too many")
        }
        let id = try InstallationCommand.id(text)
        let input = operands.count == 2 ? Input(operands[1]) : nil
        guard input != nil || !changes.isEmpty else {
            throw UsageError("nothing to change: name a file of operations, or - for standard input, or an option")
        }
        return InstallationPatch(id: id, input: input, changes: changes)
    }

    /// A tag that may be one that the hub would no longer take, such as the `a,b` of a faulty client.
    private static func removable(_ text: String) throws -> NotificationHub.Tag {
        guard text.isEmpty else { return NotificationHub.Tag(unchecked: text) }
        return try NotificationHub.Tag(validating: text)
    }

    /// The operations of the file, then those of the options.
    func patches() throws(Input.Problem) -> [Installation.Patch] {
        guard let input else { return changes }
        let read = try input.read(as: "operations") { try Installation.Patch.patches(json: $0) }
        guard !read.isEmpty || !changes.isEmpty else { throw input.problem("has no operation") }
        return read + changes
    }

    /// Sends the patches.
    func send(_ patches: [Installation.Patch], to hub: NotificationHub) async throws {
        do {
            try await hub.updateInstallation(id, with: patches)
        } catch let error as HubValidationError {
            guard let input else { throw UsageError("\(error)") }
            throw input.problem(with: "operations", error)
        }
    }
}
