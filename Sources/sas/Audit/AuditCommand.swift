import HubCommandLine
enum AuditCommand { static func run(_ arguments: consuming Arguments) throws -> ExitStatus { .success } }
