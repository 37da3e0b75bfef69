import Testing

@testable import nhub

@Suite struct ImportStateTests {
    typealias Step = ImportState.Step

    /// Takes steps until there is nothing to start, giving lines of the keys one after the other.
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

    @Test func `begins as many calls as it may, and another when one ends`() {
        var (state, started) = state(2, "a", "b", "c")
        #expect(started == [1, 2])
        #expect(state.next(now: .zero) == .wait(until: nil))
        #expect(state.end(2, .put, now: .zero, random: 0) == .put)
        state.add(3, key: "c")
        #expect(state.next(now: .zero) == .start(3))
    }

    @Test func `ends when all lines are finished`() {
        var (state, _) = state(4, "a", "b")
        _ = state.end(1, .put, now: .zero, random: 0)
        #expect(state.next(now: .zero) == .wait(until: nil))
        #expect(state.end(2, .refused("no"), now: .zero, random: 0) == .failed("no"))
        #expect(state.next(now: .zero) == .end)
        #expect((state.finished.count(.put), state.finished.count(.failed)) == (1, 1))
    }

    @Test func `has no two lines of a key under way, and never out of order`() {
        var (state, started) = state(8, "a", "b", "a", "a", "c")
        #expect(started == [1, 2, 5])
        _ = state.end(2, .put, now: .zero, random: 0)
        #expect(nextStarts(&state) == [])
        _ = state.end(1, .trouble("x", isSilent: false), now: .zero, random: 1)
        #expect(nextStarts(&state) == [], "what is to be tried again holds up what follows")
        #expect(nextStarts(&state, now: .seconds(1)) == [1])
        _ = state.end(1, .put, now: .seconds(1), random: 0)
        #expect(nextStarts(&state, now: .seconds(1)) == [3])
        _ = state.end(3, .refused("x"), now: .seconds(1), random: 0)
        #expect(nextStarts(&state, now: .seconds(1)) == [4])
    }

    @Test func `begins nothing before the end of a pause, and blames no line for it`() {
        var (state, started) = state(4, "a", "b", "c", "d", "e")
        #expect(started == [1, 2, 3, 4])
        #expect(state.end(1, .throttled(for: .seconds(9)), now: .seconds(1), random: 0) == .unfinished)
        #expect(state.end(2, .put, now: .seconds(2), random: 0) == .put)
        #expect(state.end(3, .throttled(for: .seconds(2)), now: .seconds(3), random: 0) == .unfinished)
        #expect(state.next(now: .seconds(3)) == .wait(until: .seconds(10)), "the longest pause counts")
        #expect(state.pauseEnd(now: .seconds(3)) == .seconds(10))
        for attempt in 1...100 {
            let now = Duration.seconds(10 * attempt)
            #expect(state.next(now: now) == .start(3))
            #expect(state.end(3, .throttled(for: .seconds(10)), now: now, random: 0) == .unfinished)
        }
        #expect(state.stopReason == nil)
        #expect(state.finished.count(.failed) == 0)
    }

    @Test func `waits longer and longer if the hub does not say for how long`() {
        var pace = ImportPace()
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<8 {
            for _ in 0..<5 { pace.noteThrottling(for: nil, now: now) }
            pauses.append(pace.pauseEnd - now)
            now = pace.pauseEnd
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        pace.noteAnswer()
        pace.noteThrottling(for: nil, now: now)
        #expect(pace.pauseEnd == now + .seconds(1))
    }

    @Test func `waits although the hub asks for no time at all`() {
        var (state, _) = state(1, "a")
        #expect(state.end(1, .throttled(for: .zero), now: .zero, random: 0) == .unfinished)
        #expect(state.next(now: .zero) == .wait(until: .seconds(1)))
    }

    @Test func `fails a line that is in trouble while others fare well`() {
        var (state, _) = state(1, "a", "b")
        var now = Duration.zero
        for attempt in 1...3 {
            #expect(state.end(1, .trouble("500", isSilent: false), now: now, random: 1) == .unfinished)
            now += .seconds(10)
            if attempt == 3 {
                // While the line waits, the next one has its turn.
                state.add(2, key: "b")
                #expect(state.next(now: .zero) == .start(2))
                _ = state.end(2, .put, now: .zero, random: 0)
                state.endInput()
            }
            #expect(state.next(now: now) == .start(1))
        }
        #expect(state.end(1, .trouble("500", isSilent: false), now: now, random: 1) == .failed("500, 4 times"))
        #expect(state.stopReason == nil)
    }

    @Test func `blames no line for trouble that began while it was under way`() {
        var (state, _) = state(2, "a", "b")
        state.endInput()
        // The hub takes the one, and is gone.
        _ = state.end(1, .put, now: .zero, random: 0)
        var now = Duration.zero
        for _ in 1...5 {
            #expect(state.end(2, .trouble("refused", isSilent: true), now: now, random: 0) == .unfinished)
            now += .seconds(5)
            #expect(state.next(now: now) == .start(2))
        }
        #expect(state.end(2, .put, now: now, random: 0) == .put)
    }

    @Test func `stops, and blames no line, when the hub answers nobody for long`() {
        var (state, _) = state(1, "a")
        _ = state.end(1, .put, now: .zero, random: 0)
        state.add(2, key: "b")
        state.add(3, key: "c")
        var now = Duration.zero
        var attempts = 0
        var last = 3
        while state.stopReason == nil, now < .seconds(100) {
            switch state.next(now: now) {
            case .start(let line):
                attempts += 1
                #expect(state.end(line, .trouble("x", isSilent: true), now: now, random: 0.5) == .unfinished)
            case .wait(let until?): now = until
            case .read:
                last += 1
                state.add(last, key: "\(last)")
            default:
                Issue.record("nothing to do")
                return
            }
        }
        #expect(state.finished.count(.failed) == 0)
        #expect((Duration.seconds(30)..<(.seconds(40))).contains(now))
        #expect(attempts > 4)
        #expect(state.next(now: now) == .end)
    }

    @Test func `fails the last lines rather than leave them for ever`() {
        var (state, _) = state(1, "a")
        _ = state.end(1, .put, now: .zero, random: 0)
        state.add(2, key: "b")
        var now = Duration.zero
        var verdict = ImportState.Verdict.unfinished
        while verdict == .unfinished, now < .seconds(100) {
            switch state.next(now: now) {
            case .start(let line): verdict = state.end(line, .trouble("500", isSilent: false), now: now, random: 0.5)
            case .wait(let until?): now = until
            case .read: state.endInput()
            default:
                Issue.record("nothing to do")
                return
            }
        }
        #expect(verdict != .unfinished)
        #expect(state.next(now: now) == .end)
        #expect(state.stopReason == nil)
    }

    @Test func `stops soon when the hub is silent from the beginning`() {
        var (state, started) = state(8, "a", "b", "c", "d", "e", "f")
        for line in started.prefix(4) {
            _ = state.end(line, .trouble("refused", isSilent: true), now: .zero, random: 0)
        }
        #expect(state.stopReason == nil)
        _ = state.end(5, .trouble("refused", isSilent: true), now: .zero, random: 0)
        #expect(state.stopReason == "line 5: refused")
        #expect(state.next(now: .zero) == .wait(until: nil), "what is under way comes to its end")
        _ = state.end(6, .cancelled, now: .zero, random: 0)
        #expect(state.next(now: .zero) == .end)
        #expect(state.finished.count == 0)
    }

    @Test func `stops at once when no line can be put`() {
        var (state, _) = state(2, "a", "b", "c")
        #expect(state.end(1, .hopeless("401"), now: .zero, random: 0) == .unfinished)
        #expect(state.stopReason == "line 1: 401")
        #expect(state.end(2, .put, now: .zero, random: 0) == .put)
        #expect(state.next(now: .zero) == .end)
        #expect(state.finished.contains(2) && !state.finished.contains(1))
    }

    @Test func `reads no further than it can remember`() {
        var state = ImportState(concurrency: 2)
        state.add(1, key: "stuck")
        #expect(state.next(now: .zero) == .start(1))
        var line = 1
        while state.next(now: .zero) == .read {
            line += 1
            state.finish(line, .blank)
        }
        #expect(line == ImportState.furthestAhead)
        _ = state.end(1, .put, now: .zero, random: 0)
        #expect(state.finished.mark == line)
        #expect(state.next(now: .zero) == .read)
    }

    @Test func `holds few lines of one key`() {
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

    @Test func `remembers finished lines in any order`() {
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
