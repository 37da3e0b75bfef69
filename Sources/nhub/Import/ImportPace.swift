/// When calls may begin, for the whole import: what the hub asked for, and how long it has been in trouble.
///
/// It knows no clock: times are durations since the import began.
struct ImportPace: Hashable, Sendable {
    /// Before this, no call begins.
    private(set) var pauseEnd = Duration.zero
    /// How many lines the hub took or refused: it works.
    private(set) var goodAnswerCount = 0

    private var throttleCount = 0
    private var troubleCount = 0
    private var troubleBegan: Duration?

    /// How long the hub may answer nobody before the import gives up.
    static let patience = Duration.seconds(30)
    /// After how many silent attempts the import gives up if the hub has never answered.
    static let silenceAtStart = 5
    /// How long the import pauses at the most when the hub does not say for how long.
    static let longestBackoff = Duration.seconds(60)

    /// The hub took or refused an installation.
    mutating func noteAnswer() {
        goodAnswerCount += 1
        (throttleCount, troubleCount, troubleBegan) = (0, 0, nil)
    }

    /// The hub wants everybody to wait.
    mutating func noteThrottling(for asked: Duration?, now: Duration) {
        (troubleCount, troubleBegan) = (0, nil)
        // No time at all, or a date that is past by this machine's clock, does not say for how long.
        if let asked, asked > .zero {
            pauseEnd = max(pauseEnd, now + asked)
        } else if now >= pauseEnd {
            // Many calls hear of one and the same throttling.
            pauseEnd = now + min(.seconds(1 << min(throttleCount, 6)), Self.longestBackoff)
            throttleCount += 1
        }
    }

    /// An attempt went wrong, and not by the line's fault as far as one can tell.
    ///
    /// - Returns: whether it is time to give up.
    mutating func noteTrouble(isSilent: Bool, now: Duration) -> Bool {
        troubleCount += 1
        let began = troubleBegan ?? now
        troubleBegan = began
        if isSilent, goodAnswerCount == 0, troubleCount >= Self.silenceAtStart { return true }
        return now - began >= Self.patience
    }

    /// How long a line waits after a number of attempts: 1, 2, 4, 8 seconds, half of it by chance.
    static func backoff(after attemptCount: Int, random: Double) -> Duration {
        .seconds(1 << min(max(0, attemptCount - 1), 3)) * (0.5 + random / 2)
    }
}
