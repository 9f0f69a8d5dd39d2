package import Hostnames

/// The nonces that parties have sent for proofs of possession (RFC 9449 sections 8 and 9). Each goes into the next proof to its party.
package struct ProofNonces: Sendable {
    private var nonces: [Origin: String] = [:]

    package init() {}

    /// The nonce for the next proof to a party.
    package subscript(origin: Origin) -> String? { nonces[origin] }

    /// Takes the nonce of a response, also of a success.
    ///
    /// - Returns: whether the nonce is another one. One that ``isUsable(_:)`` refuses is ignored.
    @discardableResult
    package mutating func received(_ nonce: String?, from origin: Origin) -> Bool {
        guard let nonce, Self.isUsable(nonce), nonces[origin] != nonce else { return false }
        if nonces.count >= TokenLimits.nonces, nonces[origin] == nil, let any = nonces.keys.first { nonces[any] = nil }
        nonces[origin] = nonce
        return true
    }

    /// Whether a nonce is not too long, and has the characters that a nonce may have (RFC 9449 section 8.1).
    package static func isUsable(_ nonce: String) -> Bool {
        (1...TokenLimits.nonceBytes).contains(nonce.utf8.count)
            && nonce.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }
}
