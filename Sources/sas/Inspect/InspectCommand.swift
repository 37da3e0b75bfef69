import HubCommandLine
enum InspectCommand { static func run(_ arguments: consuming Arguments) throws -> ExitStatus { .success } }
