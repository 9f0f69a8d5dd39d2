internal import InsecureDigests
internal import WireFormat

extension ClientHandshake {
    /// The AUTHENTICATE to a CHALLENGE that was found fit to be answered: what is in it, and where.
    ///
    /// ```
    /// 0                       64       72       88
    /// ┌───────────────────────┬────────┬╌╌╌╌╌╌╌╌┬──────┬────┬───────────┬────────┬──────────┬────────────┐
    /// │signature, fields,flags│Version │  MIC   │Domain│User│Workstation│LM (24) │NTLMv2    │Encr. key   │
    /// └───────────────────────┴────────┴╌╌╌╌╌╌╌╌┴──────┴────┴───────────┴────────┴──────────┴────────────┘
    /// ```
    /// The payload stands in the order of the example in MS-NLMP 4.2.4.3. Everything that can go wrong goes wrong when
    /// the value is made; then the message is written in place, proof and codes last.
    struct Answer {
        /// The NEGOTIATE as it was sent.
        let negotiate: [UInt8]
        let identity: ProvenIdentity
        private let workstation: String
        private let workstationUnits: Int
        private let info: AnsweredTargetInfo
        private let time: FileTime
        let serverChallenge: UInt64
        /// What both sides agree on.
        let flags: NegotiateFlags
        /// Where the proof starts.
        let responseOffset: Int
        let responseCount: Int
        /// Bytes in the message.
        let byteCount: Int
        private let challengeCount: Int

        /// Whether the server sent its clock. MS-NLMP 3.1.5.1.2: then the message carries an integrity code, and no LM
        /// response.
        var hasCode: Bool { info.timestamp != nil }
        /// Whether the client chooses the session key and sends it.
        var exchangesKeys: Bool { SessionKeys.areExchanged(flags) }
        /// Where the encrypted session key starts, if there is one.
        var encryptedKeyOffset: Int { responseOffset + responseCount }
        var lmOffset: Int { responseOffset - NTLMv2Response.lmSize }
        static let codeOffset = AuthenticateLayout.fixedSize + AuthenticateLayout.versionSize

        /// Works out what the message will hold.
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
            identity = account.identity
            self.info = info
            time = info.timestamp ?? now
            serverChallenge = challenge.serverChallenge
            self.challengeCount = challengeCount
            workstation = options.workstation ?? ""
            workstationUnits = workstation.utf16.count
            guard workstationUnits <= NTLMLimits.nameUnits else {
                throw .fieldTooLong(.workstation, bytes: 2 * workstationUnits, limit: 2 * NTLMLimits.nameUnits)
            }
            // A bit that is echoed unseen may promise what is not there; only what is understood is confirmed.
            let confirmed = challenge.flags.intersection(ClientHandshake.confirmable)
            flags = SessionKeys.areExchanged(confirmed) ? confirmed : confirmed.subtracting(.keyExchange)
            responseCount = NTLMv2Response.byteCount(attributes: info.byteCount)
            guard responseCount <= NTLMLimits.fieldBytes else {
                throw .fieldTooLong(.ntChallengeResponse, bytes: responseCount, limit: NTLMLimits.fieldBytes)
            }
            let fixed = info.timestamp != nil ? Self.codeOffset + AuthenticateLayout.codeSize : Self.codeOffset
            let names = identity.domainBytes.count + identity.userBytes.count + 2 * workstationUnits
            responseOffset = fixed + names + NTLMv2Response.lmSize
            let key = SessionKeys.areExchanged(confirmed) ? SessionKeys.byteCount : 0
            byteCount = responseOffset + responseCount + key
            guard byteCount <= NTLMLimits.messageBytes else {
                throw .tooLong(bytes: byteCount, limit: NTLMLimits.messageBytes)
            }
        }

        /// Writes the message, with zeros where codes and keys will stand.
        ///
        /// - Parameter challenge: the CHALLENGE that was read.
        func write(into writer: inout ByteWriter, challenge: Span<UInt8>, clientChallenge: UInt64) {
            let start = writer.count
            let domainOffset = hasCode ? Self.codeOffset + AuthenticateLayout.codeSize : Self.codeOffset
            let userOffset = domainOffset + identity.domainBytes.count
            let workstationOffset = userOffset + identity.userBytes.count

            MessageHeader.authenticate.write(into: &writer)
            field(count: NTLMv2Response.lmSize, offset: lmOffset, into: &writer)
            field(count: responseCount, offset: responseOffset, into: &writer)
            field(count: identity.domainBytes.count, offset: domainOffset, into: &writer)
            field(count: identity.userBytes.count, offset: userOffset, into: &writer)
            field(count: 2 * workstationUnits, offset: workstationOffset, into: &writer)
            field(count: byteCount - encryptedKeyOffset, offset: encryptedKeyOffset, into: &writer)
            writer.put(littleEndian: flags.rawValue)
            // MS-NLMP 2.2.1.3: without the version flag the field is there all the same, and zero. Servers that look for
            // the integrity code at a fixed offset need it there.
            writer.put(littleEndian: UInt64(0))
            if hasCode { writer.putZeros(AuthenticateLayout.codeSize) }

            let (domain, user) = (identity.domainBytes, identity.userBytes)
            writer.put(domain.span)
            writer.put(user.span)
            writer.put(utf16: workstation, units: workstationUnits)
            writer.putZeros(NTLMv2Response.lmSize)
            NTLMv2Response.write(
                into: &writer,
                serverChallenge: serverChallenge,
                clientChallenge: clientChallenge,
                timestamp: time
            ) { info.write(from: challenge, into: &$0) }
            writer.putZeros(byteCount - encryptedKeyOffset)
            assert(writer.count - start == byteCount)
        }

        private func field(count: Int, offset: Int, into writer: inout ByteWriter) {
            writer.put(littleEndian: UInt16(truncatingIfNeeded: count))
            writer.put(littleEndian: UInt16(truncatingIfNeeded: count))
            writer.put(littleEndian: UInt32(truncatingIfNeeded: offset))
        }
    }
}

extension ClientHandshake.Answer {
    /// Bytes of both messages before, which ``complete(into:challenge:nonces:keys:)`` writes first when there is an
    /// integrity code: it covers all three messages, and is computed where they stand one behind the other.
    var leading: Int { hasCode ? negotiate.count + challengeCount : 0 }

    /// Writes ``leading`` bytes, then the message and everything that proves it, and puts the session's keys in place.
    func complete(
        into writer: inout ByteWriter,
        challenge: Span<UInt8>,
        nonces: ClientNonces.Drawn,
        keys: inout SessionKeys
    ) {
        if hasCode {
            writer.put(negotiate.span)
            writer.put(challenge)
        }
        write(into: &writer, challenge: challenge, clientChallenge: nonces.clientChallenge)
        if hasCode && exchangesKeys { return proveInTurns(into: &writer, nonces: nonces, keys: &keys) }
        let proof = writer.withBytes(hashed) { HMACMD5.authenticate($0, key: identity.responseKey.key) }
        put(proof, at: leading + responseOffset, into: &writer)
        let base = NTLMv2Response.sessionBaseKey(proof: proof, responseKey: identity.responseKey)
        let exported = exchangesKeys ? nonces.exportedSessionKey : base
        if exchangesKeys { put(RC4.exchange(exported, key: base), at: leading + encryptedKeyOffset, into: &writer) }
        if hasCode {
            var code = CompanionCode(key: exported)
            putCode(&code, into: &writer)
        } else {
            putLM(clientChallenge: nonces.clientChallenge, at: 0, into: &writer)
        }
        keys.replace(sessionBaseKey: base, exportedSessionKey: exported)
    }

    /// Proves a message whose integrity code stands under a key that is known already: proof, session key and encrypted
    /// key wait for each other, and the code goes on beside them over what stands of the messages.
    private func proveInTurns(into writer: inout ByteWriter, nonces: ClientNonces.Drawn, keys: inout SessionKeys) {
        let key = nonces.exportedSessionKey
        var code = CompanionCode(key: key)
        let proofOffset = leading + responseOffset
        let proof = writer.withBytes(0..<writer.count) {
            HMACMD5.authenticate(
                $0.extracting(hashed),
                key: identity.responseKey.key,
                beside: &code,
                of: $0.extracting(0..<proofOffset)
            )
        }
        put(proof, at: proofOffset, into: &writer)
        let keyOffset = leading + encryptedKeyOffset
        let (base, encrypted) = writer.withBytes(0..<keyOffset) {
            // `SessionBaseKey` of MS-NLMP 3.3.2: the proof, hashed once more under the same key.
            let base = HMACMD5.authenticate(proof, key: identity.responseKey.key, beside: &code, of: $0)
            return (base, RC4.exchange(key, key: base, beside: &code, of: $0))
        }
        put(encrypted, at: keyOffset, into: &writer)
        putCode(&code, into: &writer)
        keys.replace(sessionBaseKey: base, exportedSessionKey: key)
    }

    /// Where the response stands behind both messages, from the server's challenge on.
    private var hashed: Range<Int> { NTLMv2Response.hashed(at: leading + responseOffset, count: responseCount) }

    /// Ends the integrity code, in whose place there are zeros, and puts it there.
    private func putCode(_ code: inout CompanionCode, into writer: inout ByteWriter) {
        let value = writer.withBytes(0..<writer.count) { code.finalize($0) }
        put(value, at: leading + Self.codeOffset, into: &writer)
    }

    private func put(_ digest: Digest16, at offset: Int, into writer: inout ByteWriter) {
        writer.overwrite(at: offset, littleEndian: digest.low)
        writer.overwrite(at: offset + 8, littleEndian: digest.high)
    }

    /// Puts the `LMv2_RESPONSE` in its place in the message that starts at `start`.
    func putLM(clientChallenge: UInt64, at start: Int, into writer: inout ByteWriter) {
        let code = NTLMv2Response.lmv2(
            responseKey: identity.responseKey,
            serverChallenge: serverChallenge,
            clientChallenge: clientChallenge
        )
        code.withBytes { writer.overwrite(at: start + lmOffset, with: $0) }
        Digest16(low: clientChallenge, high: 0).withBytes {
            writer.overwrite(at: start + lmOffset + Digest16.count, with: $0.extracting(0..<8))
        }
    }
}
