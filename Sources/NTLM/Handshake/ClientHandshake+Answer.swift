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
    /// Writes the message and everything that proves it, and puts the session's keys in place.
    func complete(
        into writer: inout ByteWriter,
        challenge: Span<UInt8>,
        nonces: ClientNonces.Drawn,
        keys: inout SessionKeys
    ) {
        write(into: &writer, challenge: challenge, clientChallenge: nonces.clientChallenge)
        // A key that the client chooses is known already; so the integrity code can begin beside the proof.
        var code = exchangesKeys && hasCode ? nonces.exportedSessionKey.withBytes { HMACMD5(key: $0) } : nil
        var proofCode = HMACMD5(identity.responseKey.key)
        writer.withBytes(NTLMv2Response.hashed(at: responseOffset, count: responseCount)) { response in
            guard var beside = code.take() else { return proofCode.update(response) }
            beside.update(negotiate.span)
            HMACMD5.update(&proofCode, with: response, and: &beside, with: challenge)
            code = beside
        }
        let proof = proofCode.finalize()
        proof.withBytes { writer.overwrite(at: responseOffset, with: $0) }
        let base = NTLMv2Response.sessionBaseKey(proof: proof, responseKey: identity.responseKey)
        if !hasCode { putLM(clientChallenge: nonces.clientChallenge, at: 0, into: &writer) }
        let exported = exchangesKeys ? nonces.exportedSessionKey : base
        if exchangesKeys {
            RC4.exchange(exported, key: base).withBytes { writer.overwrite(at: encryptedKeyOffset, with: $0) }
        }
        if hasCode {
            var code = code.take() ?? beginCode(under: exported, challenge: challenge)
            writer.withBytes(0..<byteCount) {
                MessageIntegrityCode.finish(&code, authenticate: $0, offset: Self.codeOffset)
            }
            code.finalize().withBytes { writer.overwrite(at: Self.codeOffset, with: $0) }
        }
        keys.replace(sessionBaseKey: base, exportedSessionKey: exported)
    }

    /// The integrity code over the first two messages.
    private func beginCode(under key: Digest16, challenge: Span<UInt8>) -> HMACMD5 {
        var code = key.withBytes { HMACMD5(key: $0) }
        code.update(negotiate.span)
        code.update(challenge)
        return code
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
