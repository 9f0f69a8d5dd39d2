internal import InsecureDigests
internal import Secrets
internal import WireFormat

extension ServerHandshake {
    /// An AUTHENTICATE that passed every check that needs no secret.
    struct Verification {
        let client: VerifiedClient
        /// The agreed flags.
        let flags: NegotiateFlags
        /// Range of the client's proof.
        let proof: Range<Int>
        /// Range of the bytes that the proof covers, besides the server's challenge.
        let temp: Range<Int>
        let encryptedKey: Range<Int>
        /// Range of the integrity code; `nil` if neither side requires one.
        let code: Range<Int>?

        /// Makes every check that needs no secret.
        init(
            of authenticate: Span<UInt8>,
            exchange: Exchange,
            options: Options,
            now: FileTime
        ) throws(ServerHandshakeError) {
            let message: AuthenticateLayout
            do { message = try AuthenticateLayout(of: authenticate) } catch { throw .message(error) }
            try Self.refuseWeakResponses(message, authenticate)
            let response: NTLMv2ResponseLayout
            let info: ReturnedTargetInfo
            do {
                response = try NTLMv2ResponseLayout(message.ntChallengeResponse, in: authenticate)
            } catch { throw .message(error) }
            info = try ReturnedTargetInfo(
                response.attributes,
                in: authenticate,
                ours: exchange.message.targetInfo ?? TargetInfo()
            )
            let skew = response.timestamp.seconds(from: now)
            guard skew <= options.maximumClockSkewSeconds else { throw .staleTimestamp(skewSeconds: skew) }

            let promisesCode = info.flags.contains(.messageIntegrityCode)
            if promisesCode || options.sendsTimestamp {
                guard promisesCode, let place = message.messageIntegrityCode else { throw .messageIntegrityCodeMissing }
                code = place
            } else {
                code = nil
            }
            proof = response.proof
            temp = response.temp
            // Only flags that we granted count.
            flags = message.flags.intersection(exchange.message.flags)
            encryptedKey = message.encryptedRandomSessionKey
            if flags.exchangesKeys, encryptedKey.count != SessionKeys.byteCount {
                throw .sessionKeyLength(found: encryptedKey.count)
            }
            let name = try Self.claimedName(message, authenticate)
            let target = info.targetName
            client = VerifiedClient(
                user: name.user,
                domain: name.domain,
                targetName: target.isEmpty ? nil : UTF16Text.text(authenticate.extracting(target)),
                isTargetNameUntrusted: info.flags.contains(.untrustedTargetName),
                hasMessageIntegrityCode: code != nil,
                isBoundToChannel: try Self.isBound(
                    authenticate.extracting(info.channelBindings),
                    policy: options.channelBindings
                )
            )
            assert(brokenInvariant(messageCount: authenticate.count) == nil)
        }

        /// Whether the client chose the session key and sent it.
        var exchangesKeys: Bool { flags.exchangesKeys }

        /// Checks the proof and the integrity code, and stores the session's keys.
        ///
        /// Everything is always computed, and there is one verdict at the end. So neither the time nor the error
        /// reveals whether the account is unknown, the proof is wrong or the code is wrong.
        func verify(
            _ authenticate: Span<UInt8>,
            exchange: Exchange,
            judgement: ProofJudgement,
            keys: inout SessionKeys
        ) throws(ServerHandshakeError) {
            assert(brokenInvariant(messageCount: authenticate.count) == nil, "this is the message that `init` read")
            let (isRight, base) =
                switch judgement {
                case .hash(let account): judge(authenticate, exchange, account)
                case .right(let key): (true, key.secret.withBytes { Digest16(copying: $0) })
                case .wrong: (false, Digest16(low: 0, high: 0))
                }
            let exported =
                exchangesKeys ? RC4.exchange(Digest16(copying: authenticate.extracting(encryptedKey)), key: base) : base

            let isCodeRight = checkCode(in: authenticate, exchange: exchange, key: exported)
            let verdicts = (isRight, isCodeRight)
            guard verdicts == (true, true) else { throw .rejected }
            keys.replace(sessionBaseKey: base, exportedSessionKey: exported)
        }

        /// Checks the proof by the account's hash, and makes `SessionBaseKey`.
        private func judge(
            _ authenticate: Span<UInt8>,
            _ exchange: Exchange,
            _ account: NTHash?
        ) -> (isRight: Bool, base: Digest16) {
            let responseKey = NTOWFv2.bytes(hash: account ?? Self.standIn, user: client.user, domain: client.domain)
            var prepared = responseKey.withBytes { HMACMD5(key: $0) }
            defer { prepared.erase() }
            let sentProof = authenticate.extracting(proof)
            var code = prepared
            code.update(littleEndian: exchange.message.serverChallenge)
            code.update(authenticate.extracting(temp))
            let isProofRight = code.finalize().withBytes { constantTimeEqual($0, sentProof) }
            // `SessionBaseKey` of MS-NLMP 3.3.2: the HMAC-MD5 of the proof under the same key.
            var again = prepared
            again.update(sentProof)
            let verdicts = (account != nil, isProofRight)
            return (verdicts == (true, true), again.finalize())
        }

        /// The hash of an unknown account, so that checking one takes as long as checking a wrong password.
        static let standIn = NTHash(digest: Digest16(low: 0, high: 0))

        private func checkCode(in authenticate: Span<UInt8>, exchange: Exchange, key: Digest16) -> Bool {
            guard let code else { return true }
            let computed = key.withBytes { key in
                MessageIntegrityCode.compute(
                    key: key,
                    negotiate: exchange.negotiate.span,
                    challenge: exchange.challenge.span,
                    authenticate: authenticate,
                    offset: code.lowerBound
                )
            }
            return computed?.withBytes { constantTimeEqual($0, authenticate.extracting(code)) } ?? false
        }

        private static func refuseWeakResponses(
            _ message: AuthenticateLayout,
            _ bytes: Span<UInt8>
        ) throws(ServerHandshakeError) {
            let lm = bytes.extracting(message.lmChallengeResponse)
            switch message.ntChallengeResponse.count {
            case 0:
                // MS-NLMP 3.2.5.1.2: anonymous clients send no LM response or a single zero byte.
                throw .refusedResponse(lm.count <= 1 ? .anonymous : .lmOnly)
            case 24:
                // MS-NLMP 3.3.1: with extended session security the LM field is a nonce and sixteen zeros.
                let isNonce = lm.count == 24 && (8..<24).allSatisfy { lm[$0] == 0 }
                throw .refusedResponse(isNonce ? .ntlm2Session : .ntlmV1)
            default: return
            }
        }

        private static func isBound(_ found: Span<UInt8>, policy: BindingPolicy) throws(ServerHandshakeError) -> Bool {
            let expected: [ChannelBindings]
            let areRequired: Bool
            switch policy {
            case .off: return false
            case .accepted(let bindings): (expected, areRequired) = (bindings, false)
            case .required(let bindings): (expected, areRequired) = (bindings, true)
            }
            // MS-NLMP 2.2.2.1: sixteen zeros mean that the client has no bindings.
            guard found.indices.contains(where: { found[$0] != 0 }) else {
                guard !areRequired else { throw .channelBindingsMissing }
                return false
            }
            var matches = 0
            for each in expected { matches += constantTimeEqual(each.digest.span, found) ? 1 : 0 }
            guard matches > 0 else { throw .channelBindingsMismatch }
            return true
        }

        /// The names of the client.
        static func claimedName(
            _ message: AuthenticateLayout,
            _ bytes: Span<UInt8>
        ) throws(ServerHandshakeError) -> (user: String, domain: String) {
            func name(_ range: Range<Int>, _ field: MessageField) throws(ServerHandshakeError) -> String {
                try Self.name(bytes.extracting(range), field, flags: message.flags)
            }
            return (try name(message.userName, .userName), try name(message.domainName, .domainName))
        }

        /// Decodes a name. Text that would encode to other bytes is refused, because the key is made from the text.
        private static func name(
            _ bytes: Span<UInt8>,
            _ field: MessageField,
            flags: NegotiateFlags
        ) throws(ServerHandshakeError) -> String {
            guard bytes.count <= 2 * NTLMLimits.nameUnits else {
                throw .message(.fieldTooLong(field, bytes: bytes.count, limit: 2 * NTLMLimits.nameUnits))
            }
            if flags.contains(.unicode) {
                guard let text = UTF16Text.exactText(bytes) else { throw .unreadableName(field) }
                return text
            }
            // Only ASCII is the same in all code pages.
            let isPrintable = bytes.indices.allSatisfy { (0x20..<0x7f).contains(bytes[$0]) }
            guard isPrintable else { throw .unreadableName(field) }
            return String(decoding: [UInt8](copying: bytes), as: UTF8.self)
        }
    }
}
