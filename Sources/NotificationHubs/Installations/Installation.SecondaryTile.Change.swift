extension Installation.SecondaryTile {
    /// A change to a part of a secondary tile: what ``Installation/Patch/changeSecondaryTile(_:_:)`` takes.
    ///
    /// The service's documentation has these; nobody has recorded one. The tile has to be there.
    public enum Change: Hashable, Sendable {
        /// Replaces the tile's channel by another of Windows.
        case setPushChannel(PushChannel)
        /// Changes what the tile is addressed by.
        case tags(Installation.TagChange)
        /// Adds a template, or replaces the one of the same name as a whole.
        case setTemplate(Installation.Template.Name, Installation.Template)
        /// Removes a template.
        case removeTemplate(Installation.Template.Name)
        /// Changes a part of a template.
        case changeTemplate(Installation.Template.Name, Installation.Template.Change)
    }
}
