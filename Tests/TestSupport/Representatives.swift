import Foundation

/// Returns evenly spaced cases, or all cases if the environment variable `HUB_TESTS` is `all`.
///
/// Some tests start a process or hash for a long time per case. A normal run tests only a few of these cases, including
/// the first and the last; `.ci/run all` tests all of them.
///
/// - Parameter count: The number of cases to return; at least 2.
public func representatives<Case>(_ cases: [Case], count: Int = 4) -> [Case] {
    guard !isTestingAll, cases.count > count else { return cases }
    return (0..<count).map { cases[$0 * (cases.count - 1) / (count - 1)] }
}

/// Returns the named cases, or all cases if the environment variable `HUB_TESTS` is `all`.
public func representatives<Case>(_ named: [Case], of all: [Case]) -> [Case] {
    isTestingAll ? all : named
}

/// Returns the number of random cases, records or devices to test: a tenth of `count`, or `count` if the environment variable `HUB_TESTS` is `all`.
public func representativeCount(_ count: Int) -> Int {
    isTestingAll ? count : count / 10
}

private let isTestingAll = ProcessInfo.processInfo.environment["HUB_TESTS"] == "all"
