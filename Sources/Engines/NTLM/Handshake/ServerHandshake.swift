internal import InsecureDigests
internal import WireFormat

/// The server's side of one NTLMv2 handshake: two messages in, one out, no I/O.
///
/// All three messages belong to one connection; a value serves one of them. One CHALLENGE takes one answer, right or
/// wrong; ``challenge(to:now:serverChallenge:)`` starts over.
public struct ServerHandshake: Sendable {
    /// Whether answers must be tied to the TLS connection that they come over.
    public enum BindingPolicy: Equatable, Sendable {
        /// Bindings are not looked at.
        case off
        /// Whoever sends bindings must send one of these; who sends none, or zeros, gets in.
        case accepted([ChannelBindings])
        /// One of these must be there; none and zeros are refused.
        case required([ChannelBindings])
    }

    /// What a server says of itself and asks of clients.
    public struct Options: Sendable {
        /// The NetBIOS name of this computer.
        public var computerName: String
        /// The NetBIOS name of the domain that it belongs to; `nil` for a server on its own.
        public var domainName: String?
        /// The DNS name of this computer.
        public var dnsComputerName: String?
        /// The DNS name of the domain.
        public var dnsDomainName: String?
        /// Whether the CHALLENGE carries our clock. If so, every answer must carry a message integrity code; switch it off
        /// only for clients that cannot, such as curl and cntlm.
        public var sendsTimestamp: Bool
        /// Whether answers must be tied to the TLS connection.
        public var channelBindings: BindingPolicy
        /// How far the client's clock may be from ours: 36 hours by default.
        public var maximumClockSkewSeconds: Int64
        /// The proofs that were accepted before, on any connection; `nil` to trust in fresh nonces alone.
        public var replayWindow: ReplayWindow?

        /// Asks for everything that can be asked for but channel bindings, which need the TLS connection.
        public init(
            computerName: String,
            domainName: String? = nil,
            dnsComputerName: String? = nil,
            dnsDomainName: String? = nil,
            sendsTimestamp: Bool = true,
            channelBindings: BindingPolicy = .off,
            maximumClockSkewSeconds: Int64 = 36 * 3_600,
            replayWindow: ReplayWindow? = nil
        ) {
            self.computerName = computerName
            self.domainName = domainName
            self.dnsComputerName = dnsComputerName
            self.dnsDomainName = dnsDomainName
            self.sendsTimestamp = sendsTimestamp
            self.channelBindings = channelBindings
            self.maximumClockSkewSeconds = maximumClockSkewSeconds
            self.replayWindow = replayWindow
        }
    }

    /// What went over the wire so far, byte by byte: the integrity code covers it.
    struct Exchange: Sendable {
        let negotiate: [UInt8]
        let challenge: [UInt8]
        let message: ChallengeMessage
    }

    let options: Options
    /// `nil` when no AUTHENTICATE is awaited.
    private var exchange: Exchange?
    // Made with the handshake, so that checking an answer needs no block of its own.
    private var keys = SessionKeys()
    private var isVerified = false
    private var agreedFlags: NegotiateFlags?

    /// The keys of the session; `nil` until an answer was accepted.
    package var sessionKeys: SessionKeys? { isVerified ? keys : nil }

    /// What is granted to a client that asks for it.
    private static let grantable: NegotiateFlags = [
        .unicode, .requestTarget, .sign, .seal, .ntlm, .alwaysSign, .extendedSessionSecurity, .negotiate128,
        .keyExchange, .negotiate56,
    ]

    /// Prepares a handshake.
    public init(options: Options) { self.options = options }

    /// Starts, or starts over: returns the CHALLENGE to a client's NEGOTIATE.
    ///
    /// - Parameters:
    ///   - negotiate: the raw NEGOTIATE.
    ///   - now: our clock.
    ///   - serverChallenge: eight bytes, least significant first; `nil` for fresh ones, as it should be. Values are only
    ///     for replays and tests.
    /// - Complexity: O(*n*) in the size of the message and the names.
    public mutating func challenge(
        to negotiate: Span<UInt8>,
        now: FileTime,
        serverChallenge: UInt64? = nil
    ) throws(ServerHandshakeError) -> [UInt8] {
        exchange = nil
        isVerified = false
        agreedFlags = nil
        let asked: NegotiateFlags
        do { asked = try NegotiateMessage(parsing: negotiate).flags } catch { throw .message(error) }
        let flags = try Self.granted(asked)
        var generator = SystemRandomNumberGenerator()
        var message = ChallengeMessage(flags: flags, serverChallenge: serverChallenge ?? generator.next())
        message.flags.insert(options.domainName == nil ? .targetTypeServer : .targetTypeDomain)
        let name = options.domainName ?? options.computerName
        message.targetNameBytes = flags.contains(.unicode) ? UTF16Text.bytes(name) : [UInt8](name.utf8)
        let bytes: [UInt8]
        do {
            message.targetInfo = try targetInfo(now: now)
            bytes = try message.encoded()
        } catch { throw .message(error) }
        exchange = Exchange(negotiate: [UInt8](copying: negotiate), challenge: bytes, message: message)
        keys.clear()
        return bytes
    }

    /// A handshake of its own at the same step, for tests that try many answers to one CHALLENGE; copies share one try.
    package func forked() -> Self {
        var fork = self
        fork.keys = SessionKeys()
        return fork
    }

    /// Checks the client's AUTHENTICATE: response, integrity code, bindings, clock and target information.
    ///
    /// An unknown account costs the same work as a wrong password. How long `account` itself takes is the caller's affair.
    ///
    /// - Parameters:
    ///   - authenticate: the raw AUTHENTICATE.
    ///   - now: our clock.
    ///   - account: finds the hash of a user of a domain, both as the client spelled them; `nil` when there is none.
    /// - Returns: who the client is.
    /// - Complexity: O(*n*) in the size of the message.
    public mutating func verify(
        authenticate: Span<UInt8>,
        now: FileTime,
        account: (_ user: String, _ domain: String) -> NTHash?
    ) throws(ServerHandshakeError) -> VerifiedClient {
        let (exchange, verification) = try open(authenticate, now: now)
        try verification.verify(
            authenticate,
            exchange: exchange,
            account: account(verification.client.user, verification.client.domain),
            keys: &keys
        )
        try accept(verification, of: authenticate, now: now)
        return verification.client
    }

    /// Refuses whatever can be refused without a secret; from here on no other AUTHENTICATE is awaited.
    mutating func open(
        _ authenticate: Span<UInt8>,
        now: FileTime
    ) throws(ServerHandshakeError) -> (exchange: Exchange, verification: Verification) {
        // A copy of a handshake does not take a second answer either.
        guard let exchange, keys.claim() else { throw .wrongStep }
        self.exchange = nil
        return (exchange, try Verification(of: authenticate, exchange: exchange, options: options, now: now))
    }

    /// Notes a proof that was found right, unless it was seen before.
    private mutating func accept(
        _ verification: Verification,
        of authenticate: Span<UInt8>,
        now: FileTime
    ) throws(ServerHandshakeError) {
        if let window = options.replayWindow {
            guard window.insert(authenticate.extracting(verification.proof), now: now) else { throw .replayed }
        }
        isVerified = true
        agreedFlags = verification.flags
    }

    /// Does the same for a proof that was checked elsewhere, and puts its keys in place.
    mutating func accept(
        _ verification: Verification,
        of authenticate: Span<UInt8>,
        now: FileTime,
        sessionBaseKey: Digest16,
        exportedSessionKey: Digest16
    ) throws(ServerHandshakeError) {
        try accept(verification, of: authenticate, now: now)
        keys.replace(sessionBaseKey: sessionBaseKey, exportedSessionKey: exportedSessionKey)
    }

    /// Hands out what signs and encrypts the rest of the connection, once for each accepted answer.
    ///
    /// - Returns: `nil` before that, the second time, from a copy of a handshake that gave it out, and when the client wanted
    ///   neither signing nor sealing.
    public mutating func sessionSecurity() -> SessionSecurity? {
        guard isVerified, let flags = agreedFlags else { return nil }
        agreedFlags = nil
        // A second value would use the same keystream again, which gives both plaintexts away.
        guard keys.claim() else { return nil }
        return SessionSecurity(keys: keys, flags: flags, isClient: false)
    }

    private static func granted(_ asked: NegotiateFlags) throws(ServerHandshakeError) -> NegotiateFlags {
        guard !asked.isDisjoint(with: [.unicode, .oem]) else { throw .encodingMissing }
        guard asked.contains(.extendedSessionSecurity) else { throw .downgrade(missing: [.extendedSessionSecurity]) }
        var flags = asked.intersection(grantable)
        if !asked.contains(.unicode) { flags.insert(.oem) }
        // MS-NLMP 3.2.5.1.1: these are set whatever the client asked for; some clients forget to ask.
        flags.formUnion([.ntlm, .targetInfo, .requestTarget, .alwaysSign])
        return flags
    }

    private func targetInfo(now: FileTime) throws(MessageError) -> TargetInfo {
        var info = TargetInfo()
        let names: [(AVPair.ID, String?)] = [
            (.nbDomainName, options.domainName ?? options.computerName), (.nbComputerName, options.computerName),
            (.dnsDomainName, options.dnsDomainName), (.dnsComputerName, options.dnsComputerName),
        ]
        for (id, name) in names {
            guard let name else { continue }
            let units = name.utf16.count
            guard units <= NTLMLimits.nameUnits else {
                throw .fieldTooLong(.targetInfo, bytes: 2 * units, limit: 2 * NTLMLimits.nameUnits)
            }
            info.set(id, to: UTF16Text.bytes(name))
        }
        if options.sendsTimestamp {
            var clock: [UInt8] = []
            clock.append(littleEndian: now.rawValue)
            info.set(.timestamp, to: clock)
        }
        return info
    }
}
