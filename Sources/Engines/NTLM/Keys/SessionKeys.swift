package import InsecureDigests

/// The keys that a handshake ends with (MS-NLMP 3.1.5.1.2, 3.4.5.1).
///
/// With NTLMv2 the `KeyExchangeKey` is the `SessionBaseKey`. When client and server agreed on a key exchange, the client
/// chose the `ExportedSessionKey` and sends it under that key; else both are the same.
package struct SessionKeys: Sendable {
    private var pair = KeyPair()
    /// Whether the pair holds what was drawn for the keys to come.
    private var holdsNonces = false

    /// How many bytes each key has.
    package static let byteCount = Digest16.count

    /// Makes room for keys; nothing of use until ``replace(sessionBaseKey:exportedSessionKey:)``.
    ///
    /// - Complexity: one allocation.
    init() {}

    /// Takes over both keys.
    ///
    /// - Complexity: one allocation.
    package init(sessionBaseKey: Digest16, exportedSessionKey: Digest16) {
        replace(sessionBaseKey: sessionBaseKey, exportedSessionKey: exportedSessionKey)
    }

    /// A copy of the `SessionBaseKey`, for the length of a computation.
    package var sessionBaseKey: Digest16 { pair.first }
    /// A copy of the `ExportedSessionKey`, for the length of a computation.
    package var exportedSessionKey: Digest16 { pair.second }

    /// Puts both keys in place; nobody who was handed the keys before sees the new ones.
    ///
    /// - Complexity: no allocation as long as nobody else holds these keys.
    mutating func replace(sessionBaseKey: Digest16, exportedSessionKey: Digest16) {
        if !isKnownUniquelyReferenced(&pair) { pair = KeyPair() }
        pair.replace(first: sessionBaseKey, second: exportedSessionKey)
        holdsNonces = false
    }

    /// Puts zeros in place, for keys that are still to come.
    mutating func clear() {
        replace(sessionBaseKey: Digest16(low: 0, high: 0), exportedSessionKey: Digest16(low: 0, high: 0))
    }

    /// Tells the first who asks, of all that hold these keys, that he may use them for what is done only once.
    func claim() -> Bool { pair.claim() }

    /// Draws nonces for the handshake that starts now, so that the answer need not wait for the system's generator.
    ///
    /// - Complexity: one call of the system; no allocation as long as nobody else holds these keys.
    mutating func drawNonces() {
        let nonces = ClientNonces.Drawn()
        replace(
            sessionBaseKey: Digest16(low: nonces.clientChallenge, high: 0),
            exportedSessionKey: nonces.exportedSessionKey
        )
        holdsNonces = true
    }

    /// Hands out the nonces that were drawn, once; fresh ones where a copy of the handshake may use the same.
    mutating func takeNonces() -> ClientNonces.Drawn {
        guard holdsNonces, isKnownUniquelyReferenced(&pair) else { return ClientNonces.Drawn() }
        holdsNonces = false
        return ClientNonces.Drawn(clientChallenge: pair.first.low, exportedSessionKey: pair.second)
    }
}
