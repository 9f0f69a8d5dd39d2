internal import InsecureDigests
internal import WireFormat

/// The client's side of one NTLMv2 handshake: two messages out, one in, no I/O.
///
/// All three messages belong to one connection; a value serves one of them. ``negotiate()`` starts over.
public struct ClientHandshake: Sendable {
    /// What a handshake says besides the account.
    public struct Options: Sendable {
        /// The service that is asked for (SPN), such as `HTTP/wiki.acme.example`; a server may compare it with its own.
        public var targetName: String?
        /// Whether the target name comes from somebody who is not trusted, a redirect for example; servers may refuse
        /// such a client.
        public var isTargetNameUntrusted: Bool
        /// The TLS connection that the handshake is tied to.
        public var channelBindings: ChannelBindings?
        /// The name of this computer; not told unless given here.
        public var workstation: String?
        /// Whether messages will be encrypted (``SessionSecurity/seal(_:)``); a server that does not grant it is refused.
        /// Off by default: over HTTP nothing is sealed.
        public var asksForSealing: Bool
        /// How far the server's clock may be from ours: 36 hours by default.
        public var maximumClockSkewSeconds: Int64

        /// Says nothing that is not given.
        public init(
            targetName: String? = nil,
            isTargetNameUntrusted: Bool = false,
            channelBindings: ChannelBindings? = nil,
            workstation: String? = nil,
            asksForSealing: Bool = false,
            maximumClockSkewSeconds: Int64 = 36 * 3_600
        ) {
            self.targetName = targetName
            self.isTargetNameUntrusted = isTargetNameUntrusted
            self.channelBindings = channelBindings
            self.workstation = workstation
            self.asksForSealing = asksForSealing
            self.maximumClockSkewSeconds = maximumClockSkewSeconds
        }
    }

    private let account: NTLMAccount
    private let options: Options
    /// The NEGOTIATE as it was sent; `nil` when no CHALLENGE is awaited.
    private var negotiateBytes: [UInt8]?
    // Made with the handshake, so that the answer itself needs no block of its own.
    private var keys = SessionKeys()
    private var isAnswered = false
    /// What the last answer confirmed; `nil` once the session was handed out.
    private var agreedFlags: NegotiateFlags?

    /// The keys of the session; `nil` until an answer was made.
    package var sessionKeys: SessionKeys? { isAnswered ? keys : nil }

    /// What a NEGOTIATE asks for. No version: it would have to be filled in, and nobody needs it.
    static let requested: NegotiateFlags = [
        .unicode, .requestTarget, .sign, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo, .negotiate128,
        .keyExchange,
    ]
    /// What an AUTHENTICATE may confirm; every other bit of a CHALLENGE is the server's own affair.
    static let confirmable = requested.union([.seal, .negotiate56])
    /// What a CHALLENGE must grant. Without any of these an answer would be weaker than NTLMv2 with strong keys.
    static let required: NegotiateFlags = [.ntlm, .extendedSessionSecurity, .targetInfo, .negotiate128]
    /// What must be granted besides when messages will be encrypted: what is sealed is signed as well (MS-NLMP 3.4.3).
    static let requiredForSealing: NegotiateFlags = [.sign, .seal]

    /// Prepares a handshake for `account`.
    public init(account: NTLMAccount, options: Options = .init()) {
        self.account = account
        self.options = options
    }

    /// Starts, or starts over: returns the NEGOTIATE to send.
    ///
    /// It tells neither workstation nor domain.
    public mutating func negotiate() -> [UInt8] {
        let message = options.asksForSealing ? Self.sealedNegotiate : Self.plainNegotiate
        resume(afterNegotiate: message)
        keys.drawNonces()
        return message
    }

    // The same for everybody who asks for the same.
    private static let plainNegotiate = NegotiateWriter.message(requested)
    private static let sealedNegotiate = NegotiateWriter.message(requested.union(.seal))

    /// Goes on after a NEGOTIATE that was sent elsewhere, for replays: the message integrity code covers its bytes.
    package mutating func resume(afterNegotiate message: [UInt8]) {
        negotiateBytes = message
        isAnswered = false
        agreedFlags = nil
    }

    /// Answers the server's CHALLENGE: returns the AUTHENTICATE to send.
    ///
    /// - Parameters:
    ///   - challenge: the raw CHALLENGE.
    ///   - now: our clock.
    ///   - nonces: `nil` for fresh ones, as it should be; values only for replays and tests.
    /// - Throws: whatever makes an answer impossible or unsafe. The handshake is over then, and nothing was disclosed.
    /// - Complexity: O(*n*) in the size of the CHALLENGE; one allocation, for the message.
    public mutating func authenticate(
        challenge: Span<UInt8>,
        now: FileTime,
        nonces: ClientNonces? = nil
    ) throws(HandshakeError) -> [UInt8] {
        let answer = try prepare(challenge: challenge, now: now)
        let message = ByteWriter.filling(leading: answer.leading, count: answer.message.byteCount) {
            complete(answer, challenge, nonces, into: &$0)
        }
        confirm(answer)
        return message
    }

    /// Answers the server's CHALLENGE as ``authenticate(challenge:now:nonces:)`` does, with the AUTHENTICATE in base64 and
    /// `prefix` before it: the value of an HTTP field, say.
    ///
    /// - Complexity: O(*n*) in the size of the CHALLENGE; one allocation, for the text.
    public mutating func authenticateBase64(
        challenge: Span<UInt8>,
        now: FileTime,
        nonces: ClientNonces? = nil,
        prefix: StaticString = ""
    ) throws(HandshakeError) -> String {
        let answer = try prepare(challenge: challenge, now: now)
        let text = ByteWriter.base64(prefix: prefix, leading: answer.leading, count: answer.message.byteCount) {
            complete(answer, challenge, nonces, into: &$0)
        }
        confirm(answer)
        return text
    }

    /// Reads a CHALLENGE and works out the answer; from here on no other CHALLENGE is awaited.
    mutating func prepare(
        challenge: Span<UInt8>,
        now: FileTime
    ) throws(HandshakeError) -> Answer {
        guard let negotiate = negotiateBytes else { throw .wrongStep }
        negotiateBytes = nil
        let layout: ChallengeLayout
        let info: AnsweredTargetInfo
        do {
            layout = try ChallengeLayout(of: challenge)
            info = try AnsweredTargetInfo(
                layout.targetInfo ?? 0..<0,
                in: challenge,
                channelBindings: options.channelBindings?.digest,
                targetName: options.targetName,
                isTargetNameUntrusted: options.isTargetNameUntrusted
            )
        } catch { throw .message(error) }
        try refuse(layout, challenge, timestamp: info.timestamp, now: now)
        do {
            return try Answer(
                after: negotiate,
                to: layout,
                of: challenge.count,
                info: info,
                from: account,
                options: options,
                now: now
            )
        } catch { throw .message(error) }
    }

    private mutating func complete(
        _ answer: Answer,
        _ challenge: Span<UInt8>,
        _ nonces: ClientNonces?,
        into writer: inout ByteWriter
    ) {
        let drawn = nonces?.drawn ?? keys.takeNonces()
        answer.complete(
            into: &writer,
            challenge: challenge,
            nonces: drawn,
            keys: &keys
        )
    }

    /// Notes that an answer was made, and under which flags.
    private mutating func confirm(_ answer: Answer) {
        isAnswered = true
        agreedFlags = answer.message.flags
    }

    /// Does the same for an answer that was made elsewhere, and puts its keys in place.
    mutating func confirm(_ answer: Answer, sessionBaseKey: Digest16, exportedSessionKey: Digest16) {
        keys.replace(sessionBaseKey: sessionBaseKey, exportedSessionKey: exportedSessionKey)
        confirm(answer)
    }

    /// The nonces of this handshake, once.
    mutating func takeNonces() -> ClientNonces.Drawn { keys.takeNonces() }

    /// Hands out what signs and encrypts the rest of the connection, once for each answer.
    ///
    /// - Returns: `nil` before an answer, the second time, from a copy of a handshake that gave it out, and when the server
    ///   agreed to neither signing nor sealing.
    public mutating func sessionSecurity() -> SessionSecurity? {
        guard isAnswered, let flags = agreedFlags else { return nil }
        agreedFlags = nil
        // A second value would use the same keystream again, which gives both plaintexts away.
        guard keys.claim() else { return nil }
        return SessionSecurity(keys: keys, flags: flags, isClient: true)
    }

    /// Refuses what must not be answered.
    private func refuse(
        _ challenge: ChallengeLayout,
        _ bytes: Span<UInt8>,
        timestamp: FileTime?,
        now: FileTime
    ) throws(HandshakeError) {
        guard challenge.flags.contains(.unicode) else { throw .unicodeMissing }
        let required = options.asksForSealing ? Self.required.union(Self.requiredForSealing) : Self.required
        let missing = required.subtracting(challenge.flags)
        guard missing.isEmpty else { throw .downgrade(missing: missing) }
        if let timestamp {
            let skew = timestamp.seconds(from: now)
            guard skew <= options.maximumClockSkewSeconds else { throw .staleTimestamp(skewSeconds: skew) }
        }
        guard account.namesDomain || !challenge.flags.contains(.targetTypeDomain) else {
            throw .domainRequired(target: UTF16Text.text(bytes.extracting(challenge.targetName)))
        }
    }
}
