/// What became of a message.
struct Reach {
    /// Whom it was delivered to.
    var reached: [Recipient] = []
    /// Whom their platforms have refused.
    var expired: [Recipient] = []
}
