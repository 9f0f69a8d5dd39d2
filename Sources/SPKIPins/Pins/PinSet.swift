/// Which certificates of a validated chain a pin may match.
public enum PinPosition: Hashable, Sendable {
    /// Any certificate of the chain.
    case any
    /// The first certificate only: the server's own.
    case leaf
    /// Any certificate but the first, the anchor included.
    ///
    /// A chain may end early because a store trusts what used to be an intermediate; the same pin goes on matching then.
    case issuer
    /// The last certificate only: the one that the store trusts.
    case anchor

    /// Whether a pin of this position may match the certificate at `index` (0 is the leaf) in a chain of `count`.
    package func accepts(index: Int, of count: Int) -> Bool {
        switch self {
        case .any: true
        case .leaf: index == 0
        case .issuer: index > 0
        case .anchor: index == count - 1
        }
    }
}

/// A pin and where in the chain it may match.
public struct PositionedPin: Hashable, Sendable {
    /// The pin.
    public let pin: Pin
    /// The certificates it may match.
    public let position: PinPosition

    /// Puts a pin at a position of the chain.
    public init(_ pin: Pin, at position: PinPosition = .any) {
        self.pin = pin
        self.position = position
    }
}

/// The pins of one host pattern, compiled: sorted, each pin once, primary and backup together.
public struct PinSet: Equatable, Sendable {
    /// A pin of the set.
    public struct Member: Hashable, Sendable {
        /// The pin.
        public let pin: Pin
        /// The certificates it may match.
        public let position: PinPosition
        /// Whether it waits for the day when the primary keys are gone.
        public let isBackup: Bool
    }

    /// Every pin of the set, sorted, so that equal sets are equal however they were written.
    public let members: [Member]

    /// Why pins do not make a set.
    enum Conflict: Error, Equatable {
        case duplicate(Pin)
        case backupIsPrimary(Pin)
    }

    /// Sorts the pins; each pin may occur once over both lists, whatever its position.
    init(primary: [PositionedPin], backup: [PositionedPin]) throws(Conflict) {
        var members = primary.map { Member(pin: $0.pin, position: $0.position, isBackup: false) }
        members += backup.map { Member(pin: $0.pin, position: $0.position, isBackup: true) }
        members.sort { $0.pin.precedes($1.pin) }
        for (member, next) in zip(members, members.dropFirst()) where member.pin == next.pin {
            throw member.isBackup == next.isBackup ? .duplicate(member.pin) : .backupIsPrimary(member.pin)
        }
        self.members = members
    }

    /// The member with this pin, or `nil`.
    ///
    /// - Complexity: O(log *n*); no allocation.
    package func member(for pin: Pin) -> Member? {
        var low = 0
        var high = members.count
        while low < high {
            let middle = (low + high) / 2
            if members[middle].pin.precedes(pin) { low = middle + 1 } else { high = middle }
        }
        guard low < members.count, members[low].pin == pin else { return nil }
        return members[low]
    }
}
