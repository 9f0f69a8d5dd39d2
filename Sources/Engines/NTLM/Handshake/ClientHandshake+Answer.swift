internal import InsecureDigests
internal import WireFormat

extension ClientHandshake {
    /// An AUTHENTICATE whose CHALLENGE passed all checks: its layout, and the steps that write it with proof and codes.
    ///
    /// Everything that can fail fails in the initialiser. Afterwards the message is written in place, and the proof and
    /// the codes last.
    struct Answer {
        /// The NEGOTIATE as it was sent.
        let negotiate: [UInt8]
        let identity: PreparedLogOn
        let message: AuthenticateWriter
        private let challengeCount: Int
        /// Bytes before a message without an integrity code, so that a frame can begin there.
        var room = 0

        /// Computes the layout of the message.
        init(
            after negotiate: [UInt8],
            to challenge: ChallengeLayout,
            of challengeCount: Int,
            info: AnsweredTargetInfo,
            from account: NTLMAccount,
            options: Options,
            now: FileTime
        ) throws(MessageError) {
            self.negotiate = negotiate
            self.challengeCount = challengeCount
            identity = account.identity
            message = try AuthenticateWriter(
                userCount: identity.userBytes.count,
                domainCount: identity.domainBytes.count,
                workstation: options.workstation ?? "",
                info: info,
                to: challenge,
                // Only flags that this client understands are confirmed: an echoed flag could promise a feature that
                // the message does not have.
                flags: challenge.flags.intersection(ClientHandshake.confirmable),
                now: now
            )
        }

        /// Writes the message, with zeros in place of the codes and keys.
        ///
        /// - Parameter challenge: the CHALLENGE that was read.
        func write(into writer: inout ByteWriter, challenge: Span<UInt8>, clientChallenge: UInt64) {
            let (domain, user) = (identity.domainBytes, identity.userBytes)
            message.write(
                into: &writer,
                user: user,
                domain: domain,
                challenge: challenge,
                clientChallenge: clientChallenge
            )
        }
    }
}

extension ClientHandshake.Answer {
    /// Bytes of NEGOTIATE and CHALLENGE if the message has an integrity code; ``room`` if not.
    ///
    /// ``complete(into:challenge:nonces:keys:)`` writes both messages before the AUTHENTICATE, because the code covers
    /// all three and is computed over one block of memory.
    var leading: Int { message.hasCode ? negotiate.count + challengeCount : room }

    /// Writes ``leading`` bytes, the message, its proof and its codes, and stores the keys of the session.
    func complete(
        into writer: inout ByteWriter,
        challenge: Span<UInt8>,
        nonces: ClientNonces.Drawn,
        keys: inout SessionKeys
    ) {
        assert(challenge.count == challengeCount)
        if message.hasCode {
            writer.put(negotiate.span)
            writer.put(challenge)
        } else {
            writer.putZeros(room)
        }
        assert(writer.count == leading, "the code covers NEGOTIATE and CHALLENGE before the answer")
        write(into: &writer, challenge: challenge, clientChallenge: nonces.clientChallenge)
        assert(writer.count == leading + message.byteCount)
        assert(hashed.upperBound == leading + message.encryptedKeyOffset, "the encrypted key follows the response")
        let exchangesKeys = message.exchangesKeys
        if message.hasCode && exchangesKeys { return addProofBesideCode(into: &writer, nonces: nonces, keys: &keys) }
        let proof = writer.withBytes(hashed) { HMACMD5.authenticate($0, key: identity.responseKey.key) }
        put(proof, at: leading + message.responseOffset, into: &writer)
        let base = NTLMv2Response.sessionBaseKey(proof: proof, responseKey: identity.responseKey)
        let exported = exchangesKeys ? nonces.exportedSessionKey : base
        if exchangesKeys {
            put(RC4.exchange(exported, key: base), at: leading + message.encryptedKeyOffset, into: &writer)
        }
        if message.hasCode {
            var code = CompanionCode(key: exported)
            putCode(&code, into: &writer)
        } else {
            putLM(clientChallenge: nonces.clientChallenge, at: leading, into: &writer)
        }
        keys.replace(sessionBaseKey: base, exportedSessionKey: exported)
    }

    /// Adds proof, encrypted key and integrity code to a message whose session key the client chose.
    ///
    /// Proof, session key and encrypted key each depend on the one before. The key of the code is known from the start,
    /// so the code is computed in parallel, over the bytes of the messages that are final by then.
    private func addProofBesideCode(into writer: inout ByteWriter, nonces: ClientNonces.Drawn, keys: inout SessionKeys)
    {
        let key = nonces.exportedSessionKey
        var code = CompanionCode(key: key)
        let proofOffset = leading + message.responseOffset
        let proof = writer.withBytes(0..<writer.count) {
            HMACMD5.authenticate(
                $0.extracting(hashed),
                key: identity.responseKey.key,
                beside: &code,
                of: $0.extracting(0..<proofOffset)
            )
        }
        put(proof, at: proofOffset, into: &writer)
        let keyOffset = leading + message.encryptedKeyOffset
        let (base, encrypted) = writer.withBytes(0..<keyOffset) {
            // `SessionBaseKey` of MS-NLMP 3.3.2: the HMAC-MD5 of the proof under the same key.
            let base = HMACMD5.authenticate(proof, key: identity.responseKey.key, beside: &code, of: $0)
            return (base, RC4.exchange(key, key: base, beside: &code, of: $0))
        }
        put(encrypted, at: keyOffset, into: &writer)
        putCode(&code, into: &writer)
        keys.replace(sessionBaseKey: base, exportedSessionKey: key)
    }

    /// The bytes that the proof covers; offsets count from the start of what ``complete(into:challenge:nonces:keys:)``
    /// writes.
    private var hashed: Range<Int> {
        NTLMv2ResponseLayout.hashed(at: leading + message.responseOffset, count: message.responseCount)
    }

    /// Finishes the integrity code over all bytes, its own 16 bytes as zeros, and stores it.
    private func putCode(_ code: inout CompanionCode, into writer: inout ByteWriter) {
        let value = writer.withBytes(0..<writer.count) { code.finalize($0) }
        put(value, at: leading + AuthenticateWriter.codeOffset, into: &writer)
    }

    private func put(_ digest: Digest16, at offset: Int, into writer: inout ByteWriter) {
        writer.overwrite(at: offset, littleEndian: digest.low)
        writer.overwrite(at: offset + 8, littleEndian: digest.high)
    }

    /// Stores the `LMv2_RESPONSE` in the message that starts at `start`.
    func putLM(clientChallenge: UInt64, at start: Int, into writer: inout ByteWriter) {
        let code = NTLMv2Response.lmv2(
            responseKey: identity.responseKey,
            serverChallenge: message.serverChallenge,
            clientChallenge: clientChallenge
        )
        let offset = start + message.lmOffset
        assert(message.lmOffset + AuthenticateLayout.lmSize == message.responseOffset)
        code.withBytes { writer.overwrite(at: offset, with: $0) }
        Digest16(low: clientChallenge, high: 0).withBytes {
            writer.overwrite(at: offset + Digest16.count, with: $0.extracting(0..<8))
        }
    }
}
