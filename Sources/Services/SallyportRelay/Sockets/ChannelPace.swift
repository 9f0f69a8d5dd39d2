/// The pace of one side: what is written leaves together, and a read waits while nothing could be passed on.
struct ChannelPace {
    /// As the channel says when it changes.
    var isWritable: Bool
    private var hasUnflushed = false
    private var hasHeldRead = false

    init(isWritable: Bool) { self.isWritable = isWritable }

    mutating func noteWrite() { hasUnflushed = true }

    /// Whether something that is written has not left; it leaves now.
    mutating func takeFlush() -> Bool {
        defer { hasUnflushed = false }
        return hasUnflushed
    }

    mutating func holdRead() { hasHeldRead = true }

    /// Whether a read waits; it goes on now, unless it must wait for longer.
    ///
    /// - Parameter mustWait: looks at the other side only, because this value is being changed meanwhile.
    mutating func takeRead(unless mustWait: @autoclosure () -> Bool) -> Bool {
        guard hasHeldRead, !mustWait() else { return false }
        hasHeldRead = false
        return true
    }
}
