import Foundation

/// A spread of a table's cases, or all of them if the environment variable `HUB_TESTS` is `all`.
///
/// Each case of some tests starts a process or hashes for a long time. A run of the suite tries a few of these cases, evenly
/// spaced, with the first and the last; `.ci/run all` tries all.
///
/// - Parameter count: how many cases to try, at least 2.
public func representatives<Case>(_ cases: [Case], count: Int = 4) -> [Case] {
    guard !isTestingAll, cases.count > count else { return cases }
    return (0..<count).map { cases[$0 * (cases.count - 1) / (count - 1)] }
}

/// Cases that a test names, or all cases if the environment variable `HUB_TESTS` is `all`.
public func representatives<Case>(_ named: [Case], of all: [Case]) -> [Case] {
    isTestingAll ? all : named
}

private let isTestingAll = ProcessInfo.processInfo.environment["HUB_TESTS"] == "all"
