import HubCommandLine
import NotificationHubs

/// The changes of `nhub installation patch`.
struct InstallationPatch {
    let id: Installation.ID
    /// The input with operations that precede those of the options.
    private let input: Input?
    private let changes: [Installation.Patch]

    /// Parses the options.
    static func changes(_ arguments: inout Arguments) throws(UsageError) -> [Installation.Patch] {
        let given = try arguments.values(of: .addTag, .removeTag, .setUser)
        let removesUser = arguments.flag(.removeUser)
        let userCount = given.count { $0.option == .setUser } + (removesUser ? 1 : 0)
        guard userCount <= 1 else {
            throw UsageError("only one of --set-user and --remove-user is allowed, and only once")
        }

        var changes: [Installation.Patch] = []
        for (option, value) in given {
            changes.append(
                try UsageError.parsing(option) {
                    switch option {
                    case .addTag: .addTag(try NotificationHub.Tag(validating: value))
                    case .removeTag: .removeTag(try removable(value))
                    default: .setUserID(try Installation.UserID(validating: value))
                    }
                })
        }
        return changes + (removesUser ? [.removeUserID] : [])
    }

    /// Parses all remaining arguments as operands.
    static func take(
        _ changes: [Installation.Patch], from arguments: inout Arguments
    ) throws(UsageError) -> InstallationPatch {
        let operands = try arguments.operands()
        guard let text = operands.first else { throw UsageError("missing installation ID") }
        guard operands.count <= 2 else {
            throw UsageError("unexpected argument: \(Arguments.quoted(operands[2]))")
        }
        let id = try InstallationCommand.id(text)
        let input = operands.count == 2 ? Input(operands[1]) : nil
        guard input != nil || !changes.isEmpty else {
            throw UsageError("nothing to change: pass a file with operations, - for standard input, or an option")
        }
        return InstallationPatch(id: id, input: input, changes: changes)
    }

    /// Returns a tag to remove, which may be invalid, such as `a,b` from a faulty client.
    private static func removable(_ text: String) throws -> NotificationHub.Tag {
        guard text.isEmpty else { return NotificationHub.Tag(unchecked: text) }
        return try NotificationHub.Tag(validating: text)
    }

    /// Returns the operations in the file followed by those of the options.
    func patches() throws(InputError) -> [Installation.Patch] {
        guard let input else { return changes }
        let operations = try input.read(as: "operations") { try Installation.Patch.patches(json: $0) }
        guard !operations.isEmpty || !changes.isEmpty else { throw input.invalid("operations", "the array is empty") }
        return operations + changes
    }

    /// Sends the patches.
    func send(_ patches: [Installation.Patch], to hub: NotificationHub) async throws {
        do {
            try await hub.updateInstallation(id, with: patches)
        } catch let error as HubValidationError {
            guard let input else { throw UsageError("\(error)") }
            throw input.invalid("operations", error)
        }
    }
}
