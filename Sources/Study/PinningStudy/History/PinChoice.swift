public import SPKIPins

/// A pin that a strategy ships, made from a key or certificate in ``Knowledge``.
public struct PinChoice: Hashable, Sendable {
    /// The number of a key in the history; -1 for a certificate's pin or a key that is not in the recording.
    let key: Int32
    /// The number of a certificate in the recording; -1 for a key's pin.
    let certificate: Int32
    /// Which certificates of a chain it may match.
    public let position: PinPosition

    init(key: Int32, position: PinPosition = .any) {
        self.key = key
        certificate = -1
        self.position = position
    }

    init(certificate: Int32) {
        key = -1
        self.certificate = certificate
        position = .leaf
    }

    /// The same pin at another position. A pin of a certificate always matches the leaf.
    public func at(_ position: PinPosition) -> PinChoice {
        certificate >= 0 ? self : PinChoice(key: key, position: position)
    }
}
