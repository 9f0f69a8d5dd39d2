public import SPKIPins

/// A pin that a strategy ships; made of what ``Knowledge`` shows.
public struct PinChoice: Hashable, Sendable {
    /// Of a key in the history; -1 for a key that the recording does not have.
    let key: Int32
    /// Of a certificate in the recording; -1 when this is a key's pin.
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

    /// The same at other places of a chain; a certificate's pin stays with the leaf.
    public func at(_ position: PinPosition) -> PinChoice {
        certificate >= 0 ? self : PinChoice(key: key, position: position)
    }
}
