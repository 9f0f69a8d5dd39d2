internal import InsecureDigests
internal import Secrets
internal import WireFormat

extension ClientHandshake {
    /// The AUTHENTICATE to a CHALLENGE that was found fit to be answered.
    struct Answer {
        let message: AuthenticateMessage
        let keys: SessionKeys

        /// Computes it.
        ///
        /// - Parameters:
        ///   - time: the server's clock, or ours.
        ///   - isServerTime: whether it is the server's. MS-NLMP 3.1.5.1.2: then the message carries an integrity code,
        ///     and no LM response.
        init(
            to challenge: ChallengeMessage,
            from account: NTLMAccount,
            options: Options,
            time: FileTime,
            isServerTime: Bool,
            nonces: ClientNonces
        ) throws(MessageError) {
            let targetInfo = try Self.targetInfo(
                challenge.targetInfo ?? TargetInfo(),
                options: options,
                promisingCode: isServerTime
            )
            let response = try NTLMv2Response(
                responseKey: account.key.responseKey,
                serverChallenge: challenge.serverChallenge,
                clientChallenge: nonces.clientChallenge,
                timestamp: time,
                targetInfo: targetInfo
            )
            let sessionBaseKey = response.sessionBaseKey(responseKey: account.key.responseKey)

            // A bit that is echoed unseen may promise what is not there; only what is understood is confirmed.
            var flags = challenge.flags.intersection(ClientHandshake.confirmable)
            if SessionKeys.areExchanged(flags) {
                keys = SessionKeys(sessionBaseKey: sessionBaseKey, exchanging: nonces.exportedSessionKey)
            } else {
                flags.remove(.keyExchange)
                keys = SessionKeys(sessionBaseKey: sessionBaseKey)
            }

            var message = AuthenticateMessage(flags: flags)
            message.ntChallengeResponse = response.bytes
            message.lmChallengeResponse =
                isServerTime
                ? NTLMv2Response.emptyLM
                : NTLMv2Response.lmv2(
                    responseKey: account.key.responseKey,
                    serverChallenge: challenge.serverChallenge,
                    clientChallenge: nonces.clientChallenge
                )
            message.domainNameBytes = UTF16Text.bytes(account.domain)
            message.userNameBytes = UTF16Text.bytes(account.user)
            let workstation = options.workstation ?? ""
            try Self.bound(workstation, .workstation, units: NTLMLimits.nameUnits)
            message.workstationBytes = UTF16Text.bytes(workstation)
            message.encryptedRandomSessionKey = keys.encryptedRandomSessionKey
            // MS-NLMP 2.2.1.3: without the version flag the field is there all the same, and zero. Servers that look for
            // the integrity code at a fixed offset need it there.
            message.version = [0, 0, 0, 0, 0, 0, 0, 0]
            if isServerTime {
                message.messageIntegrityCode = [UInt8](repeating: 0, count: MessageIntegrityCode.byteCount)
            }
            self.message = message
        }

        /// The message as it goes over the wire, its integrity code in place.
        func encoded(negotiate: [UInt8], challenge: Span<UInt8>) throws(MessageError) -> [UInt8] {
            var bytes = try message.encoded()
            guard let offset = message.messageIntegrityCodeOffset else { return bytes }
            let code = keys.exportedSessionKey.withBytes { key in
                MessageIntegrityCode.compute(
                    key: key,
                    negotiate: negotiate.span,
                    challenge: challenge,
                    authenticate: bytes.span,
                    offset: offset
                )
            }
            if let code { bytes.replaceSubrange(offset..<(offset + MessageIntegrityCode.byteCount), with: code.bytes) }
            return bytes
        }

        /// The server's attributes with ours added, in the order in which MS-NLMP 3.1.5.1.2 lists them.
        private static func targetInfo(
            _ server: TargetInfo,
            options: Options,
            promisingCode: Bool
        ) throws(MessageError) -> TargetInfo {
            var info = server
            if let bindings = options.channelBindings { info.set(.channelBindings, to: bindings.digest) }
            // Without a name the attribute is there and empty: that is what says that there is none.
            let targetName = options.targetName ?? ""
            try bound(targetName, .targetName, units: NTLMLimits.targetNameUnits)
            info.set(.targetName, to: UTF16Text.bytes(targetName))
            var flags = try server.flags()
            if promisingCode {
                flags.insert(.messageIntegrityCode)
            } else {
                // No server has reason to set this bit; left in, it would promise a code that is not there.
                flags.remove(.messageIntegrityCode)
            }
            if promisingCode || server.value(of: .flags) != nil {
                var bytes: [UInt8] = []
                bytes.append(littleEndian: flags.rawValue)
                info.set(.flags, to: bytes)
            }
            return info
        }

        private static func bound(_ text: String, _ field: MessageField, units: Int) throws(MessageError) {
            let count = text.utf16.count
            guard count <= units else { throw .fieldTooLong(field, bytes: 2 * count, limit: 2 * units) }
        }
    }
}
