extension Installation.Template {
    /// A change to a part of a template: what ``Installation/Patch/changeTemplate(_:_:)`` takes.
    ///
    /// The service's documentation has these; nobody has recorded one. The template has to be there.
    public enum Change: Hashable, Sendable {
        /// Replaces the body.
        case setBody(String)
        /// Replaces all headers; without any, removes them.
        case setHeaders([String: String])
        /// Adds a header, or replaces the one of the same name.
        case setHeader(String, to: String)
        /// Removes a header.
        case removeHeader(String)
        /// Says when the platform is to stop trying.
        case setExpiry(Expiry)
        /// Leaves it to the platform when to stop trying.
        case removeExpiry
        /// Changes what the template is addressed by.
        case tags(Installation.TagChange)
    }
}
