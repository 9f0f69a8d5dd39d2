internal import InsecureDigests
internal import Secrets
internal import WireFormat

extension ResponseBatch {
    /// Checks the AUTHENTICATE of each handshake like ``ServerHandshake/verify(authenticate:now:account:)``.
    ///
    /// - Parameters:
    ///   - handshakes: handshakes that have sent their CHALLENGE.
    ///   - authenticates: the raw AUTHENTICATE for the handshake at the same index.
    ///   - now: our clock.
    ///   - account: returns the hash of a user of a domain, both as the client spelled them; `nil` for an unknown
    ///     account.
    /// - Returns: the names of each client, or the error.
    /// - Complexity: O(*n*) in the sizes of all messages.
    /// - Precondition: there are as many messages as handshakes.
    public static func verify(
        _ handshakes: inout [ServerHandshake],
        authenticates: [[UInt8]],
        now: FileTime,
        account: (_ user: String, _ domain: String) -> NTHash?
    ) -> [Result<VerifiedClient, ServerHandshakeError>] {
        precondition(handshakes.count == authenticates.count, "as many messages as handshakes")
        var results: [Result<VerifiedClient, ServerHandshakeError>] = []
        results.reserveCapacity(handshakes.count)
        for start in stride(from: 0, to: handshakes.count, by: limit) {
            let numbers = start..<min(start + limit, handshakes.count)
            var group = VerificationGroup(&handshakes, numbers, authenticates: authenticates, now: now)
            group.lookUp(account)
            group.compute(authenticates)
            results += group.results(&handshakes, numbers, authenticates: authenticates, now: now)
        }
        return results
    }
}

/// Some handshakes, and the state of their verification.
private struct VerificationGroup {
    struct Row {
        let number: Int
        let exchange: ServerHandshake.Exchange
        let verification: ServerHandshake.Verification
        var account: NTHash?
        var isProofRight = false
        var isCodeRight = false
    }

    private var rows: [Row] = []
    private var failures: [Int: ServerHandshakeError] = [:]
    private var bases: [Digest16] = []
    private var exported: [Digest16] = []

    /// Makes every check that needs no secret.
    init(_ handshakes: inout [ServerHandshake], _ numbers: Range<Int>, authenticates: [[UInt8]], now: FileTime) {
        rows.reserveCapacity(numbers.count)
        for number in numbers {
            let message = authenticates[number]
            do throws(ServerHandshakeError) {
                let (exchange, verification) = try handshakes[number].open(message.span, now: now)
                rows.append(Row(number: number, exchange: exchange, verification: verification))
            } catch { failures[number] = error }
        }
        assert(rows.count + failures.count == numbers.count, "each handshake has a row or an error")
    }

    /// Looks up the account of each client that passed the checks so far.
    mutating func lookUp(_ account: (_ user: String, _ domain: String) -> NTHash?) {
        for place in rows.indices {
            let client = rows[place].verification.client
            rows[place].account = account(client.user, client.domain)
        }
    }

    /// Computes all proofs, keys and codes, for unknown accounts too.
    mutating func compute(_ authenticates: [[UInt8]]) {
        guard !rows.isEmpty else { return }
        let responseKeys = responseKeys()
        let proofs = proofs(under: responseKeys, authenticates)
        assert(proofs.count == rows.count)
        var sentProofs: [Digest16] = []
        var encrypted: [Digest16] = []
        for (place, row) in rows.enumerated() {
            let message = authenticates[row.number]
            let proof = message.span.extracting(row.verification.proof)
            sentProofs.append(Digest16(copying: proof))
            rows[place].isProofRight = proofs[place].withBytes { constantTimeEqual($0, proof) }
            let key = message.span.extracting(row.verification.encryptedKey)
            encrypted.append(row.verification.exchangesKeys ? Digest16(copying: key) : Digest16(low: 0, high: 0))
        }
        // `SessionBaseKey` of MS-NLMP 3.3.2: the HMAC-MD5 of the proof under the same key.
        bases = sentProofs.withBytes { HMACMD5.authenticate(each: $0, keys: responseKeys) }
        RC4.exchange(each: &encrypted, keys: bases)
        exported = rows.indices.map { rows[$0].verification.exchangesKeys ? encrypted[$0] : bases[$0] }
        encrypted.erase()
        assert(bases.count == rows.count && exported.count == rows.count)
        checkCodes(authenticates)
    }

    /// `NTOWFv2` of each client, with a substitute hash for an unknown account.
    private func responseKeys() -> HMACMD5.KeyBatch {
        var hashes: [Digest16] = []
        var identities: [UInt8] = []
        var places: [Range<Int>] = []
        for row in rows {
            let hash = row.account ?? ServerHandshake.Verification.standIn
            hashes.append(hash.withBytes { Digest16(copying: $0) })
            let start = identities.count
            let client = row.verification.client
            NTOWFv2.append(user: client.user, domain: client.domain, to: &identities)
            places.append(start..<identities.count)
        }
        let prepared = hashes.withBytes { HMACMD5.KeyBatch($0) }
        hashes.erase()
        var keys = HMACMD5.authenticate(places, in: identities.span, keys: prepared)
        defer { keys.erase() }
        return keys.withBytes { HMACMD5.KeyBatch($0) }
    }

    /// The expected `NTProofStr` of each client, over the server's challenge and the client's bytes after its proof.
    private func proofs(under keys: HMACMD5.KeyBatch, _ authenticates: [[UInt8]]) -> [Digest16] {
        var messages: [UInt8] = []
        var places: [Range<Int>] = []
        for row in rows {
            let start = messages.count
            let message = authenticates[row.number]
            messages.append(littleEndian: row.exchange.message.serverChallenge)
            messages.append(copying: message.span.extracting(row.verification.temp))
            places.append(start..<messages.count)
        }
        return HMACMD5.authenticate(places, in: messages.span, keys: keys)
    }

    /// Computes the codes over all three messages, with zeros in place of the code, and compares.
    private mutating func checkCodes(_ authenticates: [[UInt8]]) {
        var transcripts: [UInt8] = []
        var places: [Range<Int>] = []
        var coded: [(place: Int, code: Range<Int>)] = []
        for (place, row) in rows.enumerated() {
            guard let code = row.verification.code else {
                rows[place].isCodeRight = true
                continue
            }
            assert(code.count == MessageIntegrityCode.byteCount)
            let start = transcripts.count
            let message = authenticates[row.number]
            transcripts.append(copying: row.exchange.negotiate.span)
            transcripts.append(copying: row.exchange.challenge.span)
            transcripts.append(copying: message.span.extracting(0..<code.lowerBound))
            transcripts.append(contentsOf: repeatElement(0, count: code.count))
            transcripts.append(copying: message.span.extracting(code.upperBound..<message.count))
            places.append(start..<transcripts.count)
            coded.append((place, code))
        }
        guard !coded.isEmpty else { return }
        var keys = coded.map { exported[$0.place] }
        let prepared = keys.withBytes { HMACMD5.KeyBatch($0) }
        keys.erase()
        let codes = HMACMD5.authenticate(places, in: transcripts.span, keys: prepared)
        assert(codes.count == coded.count, "`zip` would leave the rest unchecked, and unchecked codes are refused")
        for (computed, (place, code)) in zip(codes, coded) {
            let message = authenticates[rows[place].number]
            rows[place].isCodeRight = computed.withBytes { constantTimeEqual($0, message.span.extracting(code)) }
        }
    }

    /// The verdict of each handshake, in order. Stores the keys of the accepted ones.
    mutating func results(
        _ handshakes: inout [ServerHandshake],
        _ numbers: Range<Int>,
        authenticates: [[UInt8]],
        now: FileTime
    ) -> [Result<VerifiedClient, ServerHandshakeError>] {
        defer {
            bases.erase()
            exported.erase()
        }
        var place = 0
        return numbers.map { number in
            if let failure = failures[number] { return .failure(failure) }
            defer { place += 1 }
            let row = rows[place]
            assert(row.number == number, "rows are in the order of the handshakes")
            let verdicts = (row.account != nil, row.isProofRight, row.isCodeRight)
            guard verdicts == (true, true, true) else { return .failure(.rejected) }
            let message = authenticates[number]
            do throws(ServerHandshakeError) {
                try handshakes[number].accept(
                    row.verification,
                    of: message.span,
                    now: now,
                    sessionBaseKey: bases[place],
                    exportedSessionKey: exported[place]
                )
                return .success(row.verification.client)
            } catch { return .failure(error) }
        }
    }
}
