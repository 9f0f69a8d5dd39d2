package import InsecureDigests

/// The keys of the session after a handshake (MS-NLMP 3.1.5.1.2, 3.4.5.1).
///
/// With NTLMv2 the `KeyExchangeKey` is the `SessionBaseKey`. If client and server agreed on a key exchange, the client
/// chooses the `ExportedSessionKey` and sends it encrypted under the `KeyExchangeKey`; otherwise both are the same.
package struct SessionKeys: Sendable {
    private var pair = KeyPair()
    /// Whether `pair` holds the nonces of a handshake that has no keys yet.
    private(set) var holdsNonces = false

    /// Bytes in each key.
    package static let byteCount = Digest16.count

    /// Allocates memory for the keys; they are zeros until ``replace(sessionBaseKey:exportedSessionKey:)``.
    ///
    /// - Complexity: one allocation.
    init() {}

    /// Takes over both keys.
    ///
    /// - Complexity: one allocation.
    package init(sessionBaseKey: Digest16, exportedSessionKey: Digest16) {
        replace(sessionBaseKey: sessionBaseKey, exportedSessionKey: exportedSessionKey)
    }

    /// A copy of the `SessionBaseKey`, for one computation.
    package var sessionBaseKey: Digest16 { pair.first }
    /// A copy of the `ExportedSessionKey`, for one computation.
    package var exportedSessionKey: Digest16 { pair.second }

    /// Stores both keys. Copies of this value keep the old ones.
    ///
    /// - Complexity: no allocation if this value has no copies.
    mutating func replace(sessionBaseKey: Digest16, exportedSessionKey: Digest16) {
        if !isKnownUniquelyReferenced(&pair) { pair = KeyPair() }
        pair.replace(first: sessionBaseKey, second: exportedSessionKey)
        holdsNonces = false
    }

    /// Stores zeros, until the handshake has keys.
    mutating func clear() {
        replace(sessionBaseKey: Digest16(low: 0, high: 0), exportedSessionKey: Digest16(low: 0, high: 0))
    }

    /// Returns true for the first call on this value and all its copies, and false afterwards. Guards what may happen
    /// once.
    func claim() -> Bool { pair.claim() }

    /// Draws the nonces of a handshake at its start, so that the answer does not wait for the system's generator.
    ///
    /// - Complexity: one system call; no allocation if this value has no copies.
    mutating func drawNonces() {
        let nonces = ClientNonces.Drawn()
        replace(
            sessionBaseKey: Digest16(low: nonces.clientChallenge, high: 0),
            exportedSessionKey: nonces.exportedSessionKey
        )
        holdsNonces = true
        assert(pair.first.high == 0, "the client's challenge has 8 bytes")
    }

    /// Returns the drawn nonces once; fresh ones afterwards, and if a copy of the handshake could return the same.
    mutating func takeNonces() -> ClientNonces.Drawn {
        guard holdsNonces, isKnownUniquelyReferenced(&pair) else { return ClientNonces.Drawn() }
        assert(pair.first.high == 0, "the keys still hold what `drawNonces` stored")
        holdsNonces = false
        return ClientNonces.Drawn(clientChallenge: pair.first.low, exportedSessionKey: pair.second)
    }
}
