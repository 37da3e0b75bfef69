import Testing

@testable import nhub

@Suite struct ImportStateTests {
    typealias Step = ImportState.Step

    /// Runs steps until no call can start, and adds a line with the next key at each read.
    ///
    /// - Returns: The lines whose calls started.
    private func starts(
        _ state: inout ImportState, keys: inout ArraySlice<String>, next: inout Int, now: Duration = .zero
    )
        -> [Int]
    {
        var started: [Int] = []
        while true {
            switch state.next(now: now) {
            case .start(let line):
                started.append(line)
            case .read:
                if let key = keys.popFirst() { state.add(next, key: key) } else { state.endInput() }
                next += 1
            case .wait, .end:
                return started
            }
        }
    }

    private func state(_ concurrency: Int, _ keys: String...) -> (ImportState, [Int]) {
        var state = ImportState(concurrency: concurrency)
        var (keys, next) = (keys[...], 1)
        let started = starts(&state, keys: &keys, next: &next)
        return (state, started)
    }

    private func nextStarts(_ state: inout ImportState, now: Duration = .zero) -> [Int] {
        var (keys, next): (ArraySlice<String>, Int) = ([], 1000)
        return starts(&state, keys: &keys, next: &next, now: now)
    }

    @Test func `starts up to the maximum number of calls, and another when one ends`() {
        var (state, started) = state(2, "a", "b", "c")
        #expect(started == [1, 2])
        #expect(state.next(now: .zero) == .wait(until: nil))
        #expect(state.end(2, .accepted, now: .zero, random: 0) == .put)
        state.add(3, key: "c")
        #expect(state.next(now: .zero) == .start(3))
    }

    @Test func `ends when all lines are finished`() {
        var (state, _) = state(4, "a", "b")
        _ = state.end(1, .accepted, now: .zero, random: 0)
        #expect(state.next(now: .zero) == .wait(until: nil))
        #expect(state.end(2, .rejected("no"), now: .zero, random: 0) == .failed("no"))
        #expect(state.next(now: .zero) == .end)
        #expect((state.finished.count(.put), state.finished.count(.failed)) == (1, 1))
    }

    @Test func `sends lines with the same key in order, one at a time`() {
        var (state, started) = state(8, "a", "b", "a", "a", "c")
        #expect(started == [1, 2, 5])
        _ = state.end(2, .accepted, now: .zero, random: 0)
        #expect(nextStarts(&state) == [])
        _ = state.end(1, .transientError("x", isConnectionError: false), now: .zero, random: 1)
        #expect(nextStarts(&state) == [], "a retry delays the following lines of the key")
        #expect(nextStarts(&state, now: .seconds(1)) == [1])
        _ = state.end(1, .accepted, now: .seconds(1), random: 0)
        #expect(nextStarts(&state, now: .seconds(1)) == [3])
        _ = state.end(3, .rejected("x"), now: .seconds(1), random: 0)
        #expect(nextStarts(&state, now: .seconds(1)) == [4])
    }

    @Test func `starts no call during a pause, and does not fail lines because of it`() {
        var (state, started) = state(4, "a", "b", "c", "d", "e")
        #expect(started == [1, 2, 3, 4])
        #expect(state.end(1, .throttled(retryAfter: .seconds(9)), now: .seconds(1), random: 0) == .unfinished)
        #expect(state.end(2, .accepted, now: .seconds(2), random: 0) == .put)
        #expect(state.end(3, .throttled(retryAfter: .seconds(2)), now: .seconds(3), random: 0) == .unfinished)
        #expect(state.next(now: .seconds(3)) == .wait(until: .seconds(10)), "the longest pause applies")
        #expect(state.pauseEnd(now: .seconds(3)) == .seconds(10))
        for attempt in 1...100 {
            let now = Duration.seconds(10 * attempt)
            #expect(state.next(now: now) == .start(3))
            #expect(state.end(3, .throttled(retryAfter: .seconds(10)), now: now, random: 0) == .unfinished)
        }
        #expect(state.stopReason == nil)
        #expect(state.finished.count(.failed) == 0)
    }

    @Test func `doubles the pause if the hub does not specify a duration`() {
        var pace = ImportPace()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<8 {
            for _ in 0..<5 { pace.recordThrottling(retryAfter: nil, now: now) }
            pauses.append(pace.pauseEnd - now)
            now = pace.pauseEnd
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        pace.recordResponse()
        pace.recordThrottling(retryAfter: nil, now: now)
        #expect(pace.pauseEnd == now + .seconds(1))
    }

    @Test func `pauses if the hub specifies a zero duration`() {
        var (state, _) = state(1, "a")
        #expect(state.end(1, .throttled(retryAfter: .zero), now: .zero, random: 0) == .unfinished)
        #expect(state.next(now: .zero) == .wait(until: .seconds(1)))
    }

    @Test func `fails a line after repeated errors if other lines succeed`() {
        var (state, _) = state(1, "a", "b")
        var now = Duration.zero
        for attempt in 1...3 {
            #expect(state.end(1, .transientError("500", isConnectionError: false), now: now, random: 1) == .unfinished)
            now += .seconds(10)
            if attempt == 3 {
                // The next line runs while this one waits.
                state.add(2, key: "b")
                #expect(state.next(now: .zero) == .start(2))
                _ = state.end(2, .accepted, now: .zero, random: 0)
                state.endInput()
            }
            #expect(state.next(now: now) == .start(1))
        }
        #expect(
            state.end(1, .transientError("500", isConnectionError: false), now: now, random: 1)
                == .failed("500 (4 attempts)"))
        #expect(state.stopReason == nil)
    }

    @Test func `does not fail a line for errors that began while it was in flight`() {
        var (state, _) = state(2, "a", "b")
        state.endInput()
        // The hub accepts one line, then fails.
        _ = state.end(1, .accepted, now: .zero, random: 0)
        var now = Duration.zero
        for _ in 1...5 {
            #expect(
                state.end(2, .transientError("refused", isConnectionError: true), now: now, random: 0) == .unfinished)
            now += .seconds(5)
            #expect(state.next(now: now) == .start(2))
        }
        #expect(state.end(2, .accepted, now: now, random: 0) == .put)
    }

    @Test func `stops without failed lines after a long series of errors`() {
        var (state, _) = state(1, "a")
        _ = state.end(1, .accepted, now: .zero, random: 0)
        state.add(2, key: "b")
        state.add(3, key: "c")
        var now = Duration.zero
        var attempts = 0
        var last = 3
        while state.stopReason == nil, now < .seconds(100) {
            switch state.next(now: now) {
            case .start(let line):
                attempts += 1
                #expect(
                    state.end(line, .transientError("x", isConnectionError: true), now: now, random: 0.5) == .unfinished
                )
            case .wait(let until?): now = until
            case .read:
                last += 1
                state.add(last, key: "\(last)")
            default:
                Issue.record("unexpected step")
                return
            }
        }
        #expect(state.finished.count(.failed) == 0)
        #expect((Duration.seconds(30)..<(.seconds(40))).contains(now))
        #expect(attempts > 4)
        #expect(state.next(now: now) == .end)
    }

    @Test func `fails the last lines after a long series of errors`() {
        var (state, _) = state(1, "a")
        _ = state.end(1, .accepted, now: .zero, random: 0)
        state.add(2, key: "b")
        var now = Duration.zero
        var verdict = ImportState.Verdict.unfinished
        while verdict == .unfinished, now < .seconds(100) {
            switch state.next(now: now) {
            case .start(let line):
                verdict = state.end(line, .transientError("500", isConnectionError: false), now: now, random: 0.5)
            case .wait(let until?): now = until
            case .read: state.endInput()
            default:
                Issue.record("unexpected step")
                return
            }
        }
        #expect(verdict != .unfinished)
        #expect(state.next(now: now) == .end)
        #expect(state.stopReason == nil)
    }

    @Test func `stops early if the first attempts get no response`() {
        var (state, started) = state(8, "a", "b", "c", "d", "e", "f")
        for line in started.prefix(4) {
            _ = state.end(line, .transientError("refused", isConnectionError: true), now: .zero, random: 0)
        }
        #expect(state.stopReason == nil)
        _ = state.end(5, .transientError("refused", isConnectionError: true), now: .zero, random: 0)
        #expect(state.stopReason == "line 5: refused")
        #expect(state.next(now: .zero) == .wait(until: nil), "calls in flight complete")
        _ = state.end(6, .cancelled, now: .zero, random: 0)
        #expect(state.next(now: .zero) == .end)
        #expect(state.finished.count == 0)
    }

    @Test func `stops immediately at a fatal error`() {
        var (state, _) = state(2, "a", "b", "c")
        #expect(state.end(1, .permanentError("401"), now: .zero, random: 0) == .unfinished)
        #expect(state.stopReason == "line 1: 401")
        #expect(state.end(2, .accepted, now: .zero, random: 0) == .put)
        #expect(state.next(now: .zero) == .end)
        #expect(state.finished.contains(2) && !state.finished.contains(1))
    }

    @Test func `limits the number of lines to read ahead`() {
        var state = ImportState(concurrency: 2)
        state.add(1, key: "waiting")
        #expect(state.next(now: .zero) == .start(1))
        var line = 1
        while state.next(now: .zero) == .read {
            line += 1
            state.finish(line, .blank)
        }
        #expect(line == ImportState.maximumReadAhead)
        _ = state.end(1, .accepted, now: .zero, random: 0)
        #expect(state.finished.mark == line)
        #expect(state.next(now: .zero) == .read)
    }

    @Test func `limits the number of waiting lines with the same key`() {
        var state = ImportState(concurrency: 2)
        var line = 0
        while true {
            switch state.next(now: .zero) {
            case .read:
                line += 1
                state.add(line, key: "same")
                continue
            case .start: continue
            default: break
            }
            break
        }
        #expect(line == 8)
    }

    @Test func `records finished lines in any order`() {
        var finished = FinishedLines()
        for line in [3, 1, 5, 2, 2] { finished.insert(line, .put) }
        #expect(finished.mark == 3)
        #expect(finished.count == 4)
        #expect(finished.count(.put) == 4)
        #expect((1...6).filter(finished.contains) == [1, 2, 3, 5])
        finished.insert(4, .failed)
        finished.insert(5, .failed)
        #expect(finished.mark == 5)
        #expect((finished.count(.put), finished.count(.failed)) == (4, 1))
    }
}
