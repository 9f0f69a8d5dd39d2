internal import InsecureDigests
internal import WireFormat

/// The client's side of an NTLMv2 handshake: it writes two messages, reads one, and does no I/O.
///
/// All three messages belong to one connection, so use one value for each connection. ``negotiate()`` starts over.
public struct ClientHandshake: Sendable {
    /// The settings of a handshake, besides the account.
    public struct Options: Sendable {
        /// The service name (SPN), such as `HTTP/wiki.acme.example`. A server may compare it with its own.
        public var targetName: String?
        /// Whether the target name comes from an untrusted source, such as a redirect. Servers may refuse such a
        /// client.
        public var isTargetNameUntrusted: Bool
        /// The binding to the TLS connection; `nil` for a handshake that is not bound.
        public var channelBindings: ChannelBindings?
        /// The name of this computer; `nil` sends none.
        public var workstation: String?
        /// Whether the session encrypts messages (``SessionSecurity/seal(_:)``). A server that does not support it is
        /// refused then. Off by default, because HTTP does not use it.
        public var asksForSealing: Bool
        /// The largest accepted distance of the server's clock from ours; 36 hours by default.
        public var maximumClockSkewSeconds: Int64

        /// Settings that send only the names that are given.
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
    /// The NEGOTIATE as it was sent; `nil` unless the next message is a CHALLENGE.
    private var negotiateBytes: [UInt8]?
    // Allocated with the handshake, so that an answer allocates no memory for its keys.
    private var keys = SessionKeys()
    private var isAnswered = false
    /// The flags that the last answer confirmed; `nil` after the session was handed out.
    private var agreedFlags: NegotiateFlags?

    /// The keys of the session; `nil` before the first answer.
    package var sessionKeys: SessionKeys? { isAnswered ? keys : nil }

    /// The flags of a NEGOTIATE. The version flag is not among them, because servers do not need a version.
    static let requested: NegotiateFlags = [
        .unicode, .requestTarget, .sign, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo, .negotiate128,
        .keyExchange,
    ]
    /// The flags that an AUTHENTICATE may confirm; other flags of a CHALLENGE are ignored.
    static let confirmable = requested.union([.seal, .negotiate56])
    /// The flags that a CHALLENGE must have. Without one of them an answer is weaker than NTLMv2 with 128-bit keys.
    static let required: NegotiateFlags = [.ntlm, .extendedSessionSecurity, .targetInfo, .negotiate128]
    /// The flags that a CHALLENGE must have besides, to encrypt messages: sealed messages are signed too (MS-NLMP
    /// 3.4.3).
    static let requiredForSealing: NegotiateFlags = [.sign, .seal]

    /// Prepares a handshake for `account`.
    public init(account: NTLMAccount, options: Options = .init()) {
        self.account = account
        self.options = options
    }

    /// Starts, or starts over. Returns the NEGOTIATE to send.
    ///
    /// The message holds neither workstation nor domain.
    public mutating func negotiate() -> [UInt8] {
        let message = options.asksForSealing ? Self.sealedNegotiate : Self.plainNegotiate
        resume(afterNegotiate: message)
        keys.drawNonces()
        return message
    }

    // The message depends only on the flags.
    private static let plainNegotiate = NegotiateWriter.message(requested)
    /// The NEGOTIATE of a handshake that does not ask for sealing.
    package static var usualNegotiate: [UInt8] { plainNegotiate }
    private static let sealedNegotiate = NegotiateWriter.message(requested.union(.seal))

    /// Continues after a NEGOTIATE that other code sent, for replays. The message integrity code covers its bytes.
    package mutating func resume(afterNegotiate message: [UInt8]) {
        negotiateBytes = message
        isAnswered = false
        agreedFlags = nil
    }

    /// Answers the server's CHALLENGE. Returns the AUTHENTICATE to send.
    ///
    /// - Parameters:
    ///   - challenge: the raw CHALLENGE.
    ///   - now: our clock.
    ///   - nonces: `nil` for fresh ones. Give values only in replays and tests.
    /// - Throws: the reason why an answer is impossible or unsafe. The handshake is over then, and no message that
    ///   depends on the password exists.
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

    /// Answers the server's CHALLENGE as ``authenticate(challenge:now:nonces:)`` does. Returns `prefix` and the
    /// AUTHENTICATE in base64, for example the value of an HTTP field.
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

    /// Checks a CHALLENGE and computes the layout of the answer. The handshake takes no other CHALLENGE afterwards.
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

    mutating func complete(
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

    /// Records that an answer was made, and its flags.
    mutating func confirm(_ answer: Answer) {
        assert(negotiateBytes == nil && !isAnswered, "one answer is made for each NEGOTIATE")
        assert(answer.message.flags.isSuperset(of: Self.required), "a downgraded CHALLENGE is refused")
        assert(keys.brokenInvariant(agreedOn: answer.message.flags) == nil)
        isAnswered = true
        agreedFlags = answer.message.flags
    }

    /// Records an answer that a batch made, and stores its keys.
    mutating func confirm(_ answer: Answer, sessionBaseKey: Digest16, exportedSessionKey: Digest16) {
        keys.replace(sessionBaseKey: sessionBaseKey, exportedSessionKey: exportedSessionKey)
        confirm(answer)
    }

    /// Returns the nonces of this handshake once; fresh ones afterwards.
    mutating func takeNonces() -> ClientNonces.Drawn { keys.takeNonces() }

    /// Returns the value that signs and encrypts the following messages of the connection, once for each answer.
    ///
    /// - Returns: `nil` before an answer, at the second call, from a copy of a handshake that returned it, and if the
    ///   server agreed to neither signing nor sealing.
    public mutating func sessionSecurity() -> SessionSecurity? {
        takeFlags().flatMap { SessionSecurity(keys: keys, flags: $0, isClient: true) }
    }

    /// Returns, in place of ``sessionSecurity()``, what signs only the first message of each direction.
    ///
    /// - Complexity: no allocation.
    package mutating func firstSignatures() -> FirstSignatures? {
        takeFlags().flatMap { FirstSignatures(keys: keys, flags: $0, isClient: true) }
    }

    /// Returns the flags that were agreed on, for the first call after an answer.
    private mutating func takeFlags() -> NegotiateFlags? {
        guard isAnswered, let flags = agreedFlags else { return nil }
        agreedFlags = nil
        // A second value would use the same keystream again, and that reveals both plaintexts.
        return keys.claim() ? flags : nil
    }

    /// Refuses a CHALLENGE whose answer would be unsafe.
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
        guard account.isComplete || !challenge.flags.contains(.targetTypeDomain) else {
            throw .domainRequired(target: UTF16Text.text(bytes.extracting(challenge.targetName)))
        }
    }
}
