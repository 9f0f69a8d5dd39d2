internal import WireFormat

/// The client's side of one NTLMv2 handshake: two messages out, one in, no I/O.
///
/// All three messages belong to one connection; a value serves one of them. ``negotiate()`` starts over.
public struct ClientHandshake: Sendable {
    /// What a handshake says besides the account.
    public struct Options: Sendable {
        /// The service that is asked for (SPN), such as `HTTP/wiki.acme.example`; a server may compare it with its own.
        public var targetName: String?
        /// The TLS connection that the handshake is tied to.
        public var channelBindings: ChannelBindings?
        /// The name of this computer; not told unless given here.
        public var workstation: String?
        /// How far the server's clock may be from ours: 36 hours by default.
        public var maximumClockSkewSeconds: Int64

        /// Says nothing that is not given.
        public init(
            targetName: String? = nil,
            channelBindings: ChannelBindings? = nil,
            workstation: String? = nil,
            maximumClockSkewSeconds: Int64 = 36 * 3_600
        ) {
            self.targetName = targetName
            self.channelBindings = channelBindings
            self.workstation = workstation
            self.maximumClockSkewSeconds = maximumClockSkewSeconds
        }
    }

    private let account: NTLMAccount
    private let options: Options
    /// The NEGOTIATE as it was sent; `nil` when no CHALLENGE is awaited.
    private var negotiateBytes: [UInt8]?
    /// The keys of the session; `nil` until an answer was made.
    package private(set) var sessionKeys: SessionKeys?
    /// What the last answer confirmed; `nil` once the session was handed out.
    private var agreedFlags: NegotiateFlags?

    /// What a NEGOTIATE asks for. No version: it would have to be filled in, and nobody needs it.
    static let requested: NegotiateFlags = [
        .unicode, .requestTarget, .sign, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo, .negotiate128,
        .keyExchange,
    ]
    /// What an AUTHENTICATE may confirm; every other bit of a CHALLENGE is the server's own affair.
    static let confirmable = requested.union([.seal, .negotiate56])
    /// What a CHALLENGE must grant. Without any of these an answer would be weaker than NTLMv2 with strong keys.
    static let required: NegotiateFlags = [.ntlm, .extendedSessionSecurity, .targetInfo, .negotiate128]

    /// Prepares a handshake for `account`.
    public init(account: NTLMAccount, options: Options = .init()) {
        self.account = account
        self.options = options
    }

    /// Starts, or starts over: returns the NEGOTIATE to send.
    ///
    /// It tells neither workstation nor domain.
    public mutating func negotiate() -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(Self.negotiateSize)
        MessageHeader.negotiate.append(to: &message)
        message.append(littleEndian: Self.requested.rawValue)
        // Domain and workstation: no bytes, at the end.
        for _ in 0..<2 {
            message.append(littleEndian: UInt32(0))
            message.append(littleEndian: UInt32(Self.negotiateSize))
        }
        // No version; but the field must be there, or gss-ntlmssp finds the message too short.
        message.append(littleEndian: UInt64(0))
        resume(afterNegotiate: message)
        return message
    }

    private static let negotiateSize = 40

    /// Goes on after a NEGOTIATE that was sent elsewhere, for replays: the message integrity code covers its bytes.
    package mutating func resume(afterNegotiate message: [UInt8]) {
        negotiateBytes = message
        sessionKeys = nil
        agreedFlags = nil
    }

    /// Answers the server's CHALLENGE: returns the AUTHENTICATE to send.
    ///
    /// - Parameters:
    ///   - challenge: the raw CHALLENGE.
    ///   - now: our clock.
    ///   - nonces: `nil` for fresh ones, as it should be; values only for replays and tests.
    /// - Throws: whatever makes an answer impossible or unsafe. The handshake is over then, and nothing was disclosed.
    /// - Complexity: O(*n*) in the size of the CHALLENGE.
    public mutating func authenticate(
        challenge: Span<UInt8>,
        now: FileTime,
        nonces: ClientNonces? = nil
    ) throws(HandshakeError) -> [UInt8] {
        guard let negotiate = negotiateBytes else { throw .wrongStep }
        negotiateBytes = nil
        let message: ChallengeMessage
        do { message = try ChallengeMessage(parsing: challenge) } catch { throw .message(error) }
        let timestamp = try serverTime(of: message, now: now)
        do {
            let answer = try Answer(
                to: message,
                from: account,
                options: options,
                time: timestamp ?? now,
                isServerTime: timestamp != nil,
                nonces: nonces ?? ClientNonces()
            )
            let bytes = try answer.encoded(negotiate: negotiate, challenge: challenge)
            sessionKeys = answer.keys
            agreedFlags = answer.message.flags
            return bytes
        } catch { throw .message(error) }
    }

    /// Hands out what signs and encrypts the rest of the connection, once for each answer.
    ///
    /// - Returns: `nil` before an answer, the second time, and when the server agreed to neither signing nor sealing.
    public mutating func sessionSecurity() -> SessionSecurity? {
        guard let keys = sessionKeys, let flags = agreedFlags else { return nil }
        // A second value would use the same keystream again, which gives both plaintexts away.
        agreedFlags = nil
        return SessionSecurity(keys: keys, flags: flags, isClient: true)
    }

    /// Refuses what must not be answered; returns the server's clock when it sent it.
    private func serverTime(of message: ChallengeMessage, now: FileTime) throws(HandshakeError) -> FileTime? {
        guard message.flags.contains(.unicode) else { throw .unicodeMissing }
        let missing = Self.required.subtracting(message.flags)
        guard missing.isEmpty else { throw .downgrade(missing: missing) }
        let timestamp: FileTime?
        do { timestamp = try message.targetInfo?.timestamp() } catch { throw .message(error) }
        if let timestamp {
            let skew = timestamp.seconds(from: now)
            guard skew <= options.maximumClockSkewSeconds else { throw .staleTimestamp(skewSeconds: skew) }
        }
        guard account.namesDomain || !message.flags.contains(.targetTypeDomain) else {
            throw .domainRequired(target: message.targetName ?? "")
        }
        return timestamp
    }
}
