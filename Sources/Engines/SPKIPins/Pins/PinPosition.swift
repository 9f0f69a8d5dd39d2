/// Which certificates of a validated chain a pin may match.
public enum PinPosition: Hashable, Sendable {
    /// Any certificate of the chain.
    case any
    /// The first certificate only: the server's own.
    case leaf
    /// Any certificate but the first, the anchor included.
    ///
    /// A chain may end early because a store trusts what used to be an intermediate; the same pin then still matches.
    case issuer
    /// The last certificate only: the one that the store trusts.
    case anchor

    /// Whether a pin of this position may match the certificate at `index` (0 is the leaf) in a chain of `count`.
    package func accepts(index: Int, of count: Int) -> Bool {
        assert(index >= 0 && index < count)
        return switch self {
        case .any: true
        case .leaf: index == 0
        case .issuer: index > 0
        case .anchor: index == count - 1
        }
    }

    /// The two bits of the position in an image.
    var code: UInt8 {
        switch self {
        case .any: 0
        case .leaf: 1
        case .issuer: 2
        case .anchor: 3
        }
    }

    init(code: UInt8) {
        assert(code <= 3)
        switch code {
        case 1: self = .leaf
        case 2: self = .issuer
        case 3: self = .anchor
        default: self = .any
        }
    }
}

/// A pin and the position in the chain where it may match.
public struct PositionedPin: Hashable, Sendable {
    /// The SHA-256 of the key.
    public let pin: Pin
    /// The certificates it may match.
    public let position: PinPosition

    /// Puts a pin at a position of the chain.
    public init(_ pin: Pin, at position: PinPosition = .any) {
        self.pin = pin
        self.position = position
    }
}
