internal import InsecureDigests
internal import WireFormat

extension ResponseBatch {
    /// Answers the CHALLENGE of each handshake like ``ClientHandshake/authenticate(challenge:now:nonces:)``.
    ///
    /// - Parameters:
    ///   - handshakes: handshakes that have sent their NEGOTIATE.
    ///   - challenges: the raw CHALLENGE for the handshake at the same index.
    ///   - now: our clock.
    /// - Returns: the AUTHENTICATE of each handshake, or the error.
    /// - Complexity: O(*n*) in the sizes of all messages; one allocation for each answer, and a fixed number.
    /// - Precondition: there are as many challenges as handshakes.
    public static func authenticate(
        _ handshakes: inout [ClientHandshake],
        challenges: [[UInt8]],
        now: FileTime
    ) -> [Result<[UInt8], HandshakeError>] {
        answer(&handshakes, challenges: challenges, now: now) { [UInt8](copying: $0) }
    }

    /// Answers the CHALLENGE of each handshake like
    /// ``ClientHandshake/authenticateBase64(challenge:now:nonces:prefix:)``.
    ///
    /// - Complexity: as ``authenticate(_:challenges:now:)``.
    /// - Precondition: there are as many challenges as handshakes.
    public static func authenticateBase64(
        _ handshakes: inout [ClientHandshake],
        challenges: [[UInt8]],
        now: FileTime,
        prefix: StaticString = ""
    ) -> [Result<String, HandshakeError>] {
        answer(&handshakes, challenges: challenges, now: now) { message in
            ByteWriter.base64(prefix: prefix, count: message.count) { $0.put(message) }
        }
    }

    private static func answer<Message>(
        _ handshakes: inout [ClientHandshake],
        challenges: [[UInt8]],
        now: FileTime,
        form: (Span<UInt8>) -> Message
    ) -> [Result<Message, HandshakeError>] {
        precondition(handshakes.count == challenges.count, "as many challenges as handshakes")
        var results: [Result<Message, HandshakeError>] = []
        results.reserveCapacity(handshakes.count)
        for start in stride(from: 0, to: handshakes.count, by: limit) {
            let numbers = start..<min(start + limit, handshakes.count)
            var group = AnswerGroup(&handshakes, numbers, challenges: challenges, now: now)
            let messages = group.write(&handshakes, challenges: challenges)
            results += group.results(messages, form: form)
        }
        return results
    }

    /// Handshakes in one group: the lanes of one tile, and few enough that their messages fit into the cache.
    static let limit = 64
}

/// Some handshakes, and the layouts of their answers.
private struct AnswerGroup {
    /// One answer.
    struct Row {
        /// The index of its handshake.
        let number: Int
        let answer: ClientHandshake.Answer
        var nonces: ClientNonces.Drawn
        /// Range of NEGOTIATE, CHALLENGE and AUTHENTICATE in this order, which the integrity code covers.
        let transcript: Range<Int>
        let message: Range<Int>

        /// Range of the bytes that the proof covers.
        var hashed: Range<Int> {
            let writer = answer.message
            return NTLMv2ResponseLayout.hashed(
                at: message.lowerBound + writer.responseOffset,
                count: writer.responseCount
            )
        }
        var codeOffset: Int { message.lowerBound + AuthenticateWriter.codeOffset }
        var encryptedKeyOffset: Int { message.lowerBound + answer.message.encryptedKeyOffset }
        var responseKey: HMACMD5.Key { _read { yield answer.identity.responseKey.key } }
    }

    private let numbers: Range<Int>
    private var rows: [Row] = []
    private var failures: [Int: HandshakeError] = [:]

    /// Checks the challenges and computes the layout of every answer.
    init(_ handshakes: inout [ClientHandshake], _ numbers: Range<Int>, challenges: [[UInt8]], now: FileTime) {
        self.numbers = numbers
        rows.reserveCapacity(numbers.count)
        var offset = 0
        for number in numbers {
            let challenge = challenges[number]
            do throws(HandshakeError) {
                let answer = try handshakes[number].prepare(challenge: challenge.span, now: now)
                let start = offset + answer.negotiate.count + challenge.count
                let message = start..<(start + answer.message.byteCount)
                rows.append(
                    Row(
                        number: number,
                        answer: answer,
                        nonces: handshakes[number].takeNonces(),
                        transcript: offset..<message.upperBound,
                        message: message
                    )
                )
                offset = message.upperBound
            } catch { failures[number] = error }
        }
        assert(rows.count + failures.count == numbers.count, "each handshake has an answer or an error")
    }

    /// Writes all messages with proofs and codes, and stores the keys of the sessions.
    mutating func write(_ handshakes: inout [ClientHandshake], challenges: [[UInt8]]) -> [UInt8] {
        var keys: (bases: [Digest16], exported: [Digest16]) = ([], [])
        let messages = ByteWriter.filling(count: rows.last?.message.upperBound ?? 0) { writer in
            for row in rows {
                let challenge = challenges[row.number]
                writer.put(row.answer.negotiate.span)
                writer.put(challenge.span)
                assert(writer.count == row.message.lowerBound)
                row.answer.write(
                    into: &writer,
                    challenge: challenge.span,
                    clientChallenge: row.nonces.clientChallenge
                )
                assert(writer.count == row.message.upperBound, "the answers lie where `init` placed them")
            }
            keys = addProofs(&writer)
            putCodes(under: keys.exported, into: &writer)
        }
        assert(keys.bases.count == rows.count && keys.exported.count == rows.count)
        for (place, row) in rows.enumerated() {
            handshakes[row.number].confirm(
                row.answer,
                sessionBaseKey: keys.bases[place],
                exportedSessionKey: keys.exported[place]
            )
        }
        keys.bases.erase()
        keys.exported.erase()
        for place in rows.indices { rows[place].nonces.erase() }
        return messages
    }

    /// Adds proofs, LM responses and encrypted keys; returns both keys of each session.
    private func addProofs(_ writer: inout ByteWriter) -> (bases: [Digest16], exported: [Digest16]) {
        let responseKeys = HMACMD5.KeyBatch(capacity: rows.count)
        for row in rows { responseKeys.append(row.responseKey) }
        let proofs = writer.withBytes(0..<writer.count) {
            HMACMD5.authenticate(rows.map(\.hashed), in: $0, keys: responseKeys)
        }
        // `SessionBaseKey` of MS-NLMP 3.3.2: the HMAC-MD5 of the proof under the same key.
        let bases = proofs.withBytes { HMACMD5.authenticate(each: $0, keys: responseKeys) }
        var encrypted = rows.map(\.nonces.exportedSessionKey)
        RC4.exchange(each: &encrypted, keys: bases)
        var exported = bases
        for (place, row) in rows.enumerated() {
            proofs[place].withBytes { writer.overwrite(at: row.hashed.lowerBound - 8, with: $0) }
            if row.answer.message.exchangesKeys {
                exported[place] = row.nonces.exportedSessionKey
                encrypted[place].withBytes { writer.overwrite(at: row.encryptedKeyOffset, with: $0) }
            }
            if !row.answer.message.hasCode {
                row.answer.putLM(clientChallenge: row.nonces.clientChallenge, at: row.message.lowerBound, into: &writer)
            }
        }
        return (bases, exported)
    }

    /// Adds the integrity codes to the messages that have one.
    private func putCodes(under keys: [Digest16], into writer: inout ByteWriter) {
        let places = rows.indices.filter { rows[$0].answer.message.hasCode }
        guard !places.isEmpty else { return }
        var coded = places.map { keys[$0] }
        let prepared = coded.withBytes { HMACMD5.KeyBatch($0) }
        coded.erase()
        let codes = writer.withBytes(0..<writer.count) {
            HMACMD5.authenticate(places.map { rows[$0].transcript }, in: $0, keys: prepared)
        }
        for (code, place) in zip(codes, places) {
            code.withBytes { writer.overwrite(at: rows[place].codeOffset, with: $0) }
        }
    }

    /// The message or the error of each handshake, in order.
    func results<Message>(
        _ messages: [UInt8],
        form: (Span<UInt8>) -> Message
    ) -> [Result<Message, HandshakeError>] {
        var place = 0
        return numbers.map { number in
            if let failure = failures[number] { return .failure(failure) }
            defer { place += 1 }
            assert(rows[place].number == number, "rows are in the order of the handshakes")
            return .success(form(messages.span.extracting(rows[place].message)))
        }
    }
}
