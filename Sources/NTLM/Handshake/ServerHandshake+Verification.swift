internal import InsecureDigests
internal import Secrets
internal import WireFormat

extension ServerHandshake {
    /// An AUTHENTICATE whose public part is in order, before anybody asked who its sender is.
    struct Verification {
        let response: NTLMv2Response
        let client: VerifiedClient
        /// What both sides agreed on.
        let flags: NegotiateFlags
        private let exchange: Exchange
        private let encryptedKey: [UInt8]
        /// Where the integrity code stands; `nil` when none is promised or due.
        private let codeOffset: Int?

        /// Refuses whatever can be refused without a secret.
        init(
            of authenticate: Span<UInt8>,
            exchange: Exchange,
            options: Options,
            now: FileTime
        ) throws(ServerHandshakeError) {
            let message: AuthenticateMessage
            do { message = try AuthenticateMessage(parsing: authenticate) } catch { throw .message(error) }
            try Self.refuseWeakResponses(message)
            let avFlags: AVPair.Flags
            do {
                response = try NTLMv2Response(parsing: message.ntChallengeResponse.span)
                avFlags = try response.targetInfo.flags()
            } catch { throw .message(error) }
            let info = response.targetInfo
            try Self.check(info, against: exchange.message.targetInfo ?? TargetInfo())
            let skew = response.timestamp.seconds(from: now)
            guard skew <= options.maximumClockSkewSeconds else { throw .staleTimestamp(skewSeconds: skew) }

            let promisesCode = avFlags.contains(.messageIntegrityCode)
            if promisesCode || options.sendsTimestamp {
                guard promisesCode, let offset = message.messageIntegrityCodeOffset else {
                    throw .messageIntegrityCodeMissing
                }
                codeOffset = offset
            } else {
                codeOffset = nil
            }
            // A flag that we did not grant is not agreed on, whatever the client makes of it.
            flags = message.flags.intersection(exchange.message.flags)
            encryptedKey = message.encryptedRandomSessionKey
            if SessionKeys.areExchanged(flags), encryptedKey.count != SessionKeys.byteCount {
                throw .sessionKeyLength(found: encryptedKey.count)
            }
            let target = info.value(of: .targetName) ?? []
            client = VerifiedClient(
                user: try Self.name(message.userNameBytes, .userName, flags: message.flags),
                domain: try Self.name(message.domainNameBytes, .domainName, flags: message.flags),
                targetName: target.isEmpty ? nil : UTF16Text.text(target),
                isTargetNameUntrusted: avFlags.contains(.untrustedTargetName),
                hasMessageIntegrityCode: codeOffset != nil,
                isBoundToChannel: try Self.isBound(info, policy: options.channelBindings)
            )
            self.exchange = exchange
        }

        /// Checks the proof and the integrity code.
        ///
        /// Everything is computed in any case, and the verdict falls once, at the end: neither time nor error tells an
        /// unknown account from a wrong password, or a wrong proof from a wrong code.
        func sessionKeys(
            of authenticate: Span<UInt8>,
            account: NTHash?
        ) throws(ServerHandshakeError) -> SessionKeys {
            let standIn: NTHash
            do { standIn = try NTHash(hash: Self.standIn.span) } catch { throw .rejected }
            let key = NTOWFv2(hash: account ?? standIn, user: client.user, domain: client.domain)
            let proof = response.proof(responseKey: key, serverChallenge: exchange.message.serverChallenge)
            let base = response.sessionBaseKey(responseKey: key)
            let keys = SessionKeys(
                sessionBaseKey: base,
                decrypting: SessionKeys.areExchanged(flags) ? encryptedKey : []
            )

            let isProven = proof.withBytes { constantTimeEqual($0, response.ntProofStr.span) }
            let isIntact = isCodeRight(in: authenticate, keys: keys)
            let verdicts: [Bool] = [account != nil, isProven, isIntact]
            guard verdicts.allSatisfy({ $0 }) else { throw .rejected }
            return keys
        }

        private static let standIn = [UInt8](repeating: 0, count: NTHash.byteCount)

        private func isCodeRight(in authenticate: Span<UInt8>, keys: SessionKeys) -> Bool {
            guard let codeOffset else { return true }
            let code = keys.exportedSessionKey.withBytes { key in
                MessageIntegrityCode.compute(
                    key: key,
                    negotiate: exchange.negotiate.span,
                    challenge: exchange.challenge.span,
                    authenticate: authenticate,
                    offset: codeOffset
                )
            }
            let standing = authenticate.extracting(codeOffset..<(codeOffset + MessageIntegrityCode.byteCount))
            return code?.withBytes { constantTimeEqual($0, standing) } ?? false
        }

        private static func refuseWeakResponses(_ message: AuthenticateMessage) throws(ServerHandshakeError) {
            let lm = message.lmChallengeResponse
            switch message.ntChallengeResponse.count {
            case 0:
                // MS-NLMP 3.2.5.1.2: anonymous clients send no LM response or a single zero byte.
                throw .refusedResponse(lm.count <= 1 ? .anonymous : .lmOnly)
            case 24:
                // MS-NLMP 3.3.1: with extended session security the LM field is a nonce and sixteen zeros.
                let isNonce = lm.count == 24 && lm[8...].allSatisfy { $0 == 0 }
                throw .refusedResponse(isNonce ? .ntlm2Session : .ntlmV1)
            default: return
            }
        }

        /// Every attribute of ours must come back unchanged; a client adds no name and no clock of its own.
        private static func check(_ info: TargetInfo, against ours: TargetInfo) throws(ServerHandshakeError) {
            var seen: Set<AVPair.ID> = []
            let reserved: Set<AVPair.ID> = [
                .nbComputerName, .nbDomainName, .dnsComputerName, .dnsDomainName, .dnsTreeName, .timestamp,
            ]
            for pair in info.pairs {
                guard seen.insert(pair.id).inserted else { throw .repeatedAttribute(id: pair.id.rawValue) }
                guard !reserved.contains(pair.id) || ours.value(of: pair.id) != nil else {
                    throw .targetInfoChanged(id: pair.id.rawValue)
                }
            }
            for pair in ours.pairs where info.value(of: pair.id) != pair.value {
                throw .targetInfoChanged(id: pair.id.rawValue)
            }
        }

        private static func isBound(_ info: TargetInfo, policy: BindingPolicy) throws(ServerHandshakeError) -> Bool {
            let expected: [ChannelBindings]
            let areRequired: Bool
            switch policy {
            case .off: return false
            case .accepted(let bindings): (expected, areRequired) = (bindings, false)
            case .required(let bindings): (expected, areRequired) = (bindings, true)
            }
            let found = info.value(of: .channelBindings) ?? []
            // MS-NLMP 2.2.2.1: sixteen zeros say that there are no bindings.
            guard found.contains(where: { $0 != 0 }) else {
                guard !areRequired else { throw .channelBindingsMissing }
                return false
            }
            var matches = 0
            for each in expected { matches += constantTimeEqual(each.digest.span, found.span) ? 1 : 0 }
            guard matches > 0 else { throw .channelBindingsMismatch }
            return true
        }

        /// A name as text; the key is made from the text, so nothing may get lost on the way.
        private static func name(
            _ bytes: [UInt8],
            _ field: MessageField,
            flags: NegotiateFlags
        ) throws(ServerHandshakeError) -> String {
            guard bytes.count <= 2 * NTLMLimits.nameUnits else {
                throw .message(.fieldTooLong(field, bytes: bytes.count, limit: 2 * NTLMLimits.nameUnits))
            }
            if flags.contains(.unicode) {
                let text = UTF16Text.text(bytes)
                guard UTF16Text.bytes(text) == bytes else { throw .unreadableName(field) }
                return text
            }
            // Code pages differ in everything but ASCII.
            guard bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { throw .unreadableName(field) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
