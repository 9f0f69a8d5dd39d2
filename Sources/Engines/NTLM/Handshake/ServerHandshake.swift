internal import InsecureDigests
internal import WireFormat

/// The server's side of an NTLMv2 handshake: it reads two messages, writes one, and does no I/O.
///
/// All three messages belong to one connection, so use one value for each connection. One CHALLENGE takes one answer,
/// right or wrong; ``challenge(to:now:serverChallenge:)`` starts over.
public struct ServerHandshake: Sendable {
    /// Whether answers must be bound to their TLS connection.
    public enum BindingPolicy: Equatable, Sendable {
        /// Bindings are not checked.
        case off
        /// A client that sends bindings must send one of these. A client without bindings, or with zeros, is accepted.
        case accepted([ChannelBindings])
        /// A client must send one of these. A client without bindings, or with zeros, is refused.
        case required([ChannelBindings])
    }

    /// The names of a server, and its rules for clients.
    public struct Options: Sendable {
        /// The NetBIOS name of this computer.
        public var computerName: String
        /// The NetBIOS name of its domain; `nil` for a server without a domain.
        public var domainName: String?
        /// The DNS name of this computer.
        public var dnsComputerName: String?
        /// The DNS name of the domain.
        public var dnsDomainName: String?
        /// Whether the CHALLENGE holds our clock. Every answer must have a message integrity code then. Switch it off
        /// only for clients that write no code, such as curl and cntlm.
        public var sendsTimestamp: Bool
        /// Whether answers must be bound to the TLS connection.
        public var channelBindings: BindingPolicy
        /// The largest accepted distance of the client's clock from ours; 36 hours by default.
        public var maximumClockSkewSeconds: Int64
        /// The proofs that were accepted before, on any connection; `nil` to rely on fresh nonces.
        public var replayWindow: ReplayWindow?

        /// The strictest rules, except for channel bindings, because these need the TLS connection.
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

    /// The messages so far, byte by byte, because the integrity code covers them.
    struct Exchange: Sendable {
        let negotiate: [UInt8]
        let challenge: [UInt8]
        let message: ChallengeMessage
    }

    let options: Options
    /// `nil` unless the next message is an AUTHENTICATE.
    private var exchange: Exchange?
    // Allocated with the handshake, so that checking an answer allocates no memory for its keys.
    private var keys = SessionKeys()
    private var isVerified = false
    private var agreedFlags: NegotiateFlags?

    /// The keys of the session; `nil` before an answer was accepted.
    package var sessionKeys: SessionKeys? { isVerified ? keys : nil }

    /// The flags that a client gets if it asks for them.
    private static let grantable: NegotiateFlags = [
        .unicode, .requestTarget, .sign, .seal, .ntlm, .alwaysSign, .extendedSessionSecurity, .negotiate128,
        .keyExchange, .negotiate56,
    ]

    /// Prepares a handshake.
    public init(options: Options) { self.options = options }

    /// Starts, or starts over. Returns the CHALLENGE for a client's NEGOTIATE.
    ///
    /// - Parameters:
    ///   - negotiate: the raw NEGOTIATE.
    ///   - now: our clock.
    ///   - serverChallenge: eight bytes, least significant first; `nil` for fresh ones. Give a value only in replays
    ///     and tests.
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
        assert(!isVerified && agreedFlags == nil, "a new CHALLENGE ends the old session")
        exchange = Exchange(negotiate: [UInt8](copying: negotiate), challenge: bytes, message: message)
        keys.clear()
        return bytes
    }

    /// An independent handshake at the same step, for tests that try many answers to one CHALLENGE. A copy is not
    /// independent: all copies together take one answer.
    package func forked() -> Self {
        var fork = self
        fork.keys = SessionKeys()
        return fork
    }

    /// Checks the client's AUTHENTICATE: response, integrity code, bindings, clock and target information.
    ///
    /// An unknown account takes as long as a wrong password, apart from the time of `account`.
    ///
    /// - Parameters:
    ///   - authenticate: the raw AUTHENTICATE.
    ///   - now: our clock.
    ///   - account: returns the hash of a user of a domain, both as the client spelled them; `nil` for an unknown
    ///     account.
    /// - Returns: the names of the client.
    /// - Complexity: O(*n*) in the size of the message.
    public mutating func verify(
        authenticate: Span<UInt8>,
        now: FileTime,
        account: (_ user: String, _ domain: String) -> NTHash?
    ) throws(ServerHandshakeError) -> VerifiedClient {
        try verify(authenticate, now: now) { .hash(account($0.client.user, $0.client.domain)) }
    }

    /// The same after a judge, who may alone know the hash, has judged the ``proof(in:now:)`` of the message.
    public mutating func verify(
        authenticate: Span<UInt8>,
        now: FileTime,
        judged judgement: ProofJudgement
    ) throws(ServerHandshakeError) -> VerifiedClient {
        try verify(authenticate, now: now) { _ in judgement }
    }

    private mutating func verify(
        _ authenticate: Span<UInt8>,
        now: FileTime,
        _ judgement: (Verification) -> ProofJudgement
    ) throws(ServerHandshakeError) -> VerifiedClient {
        let (exchange, verification) = try open(authenticate, now: now)
        try verification.verify(authenticate, exchange: exchange, judgement: judgement(verification), keys: &keys)
        try accept(verification, of: authenticate, now: now)
        assert(keys.brokenInvariant(agreedOn: verification.flags) == nil)
        return verification.client
    }

    /// What an AUTHENTICATE proves its password by, after every check that needs no secret.
    ///
    /// Pass the same message to ``verify(authenticate:now:judged:)`` afterwards. This call does not use the handshake up.
    public borrowing func proof(
        in authenticate: Span<UInt8>,
        now: FileTime
    ) throws(ServerHandshakeError) -> ClientProof {
        guard let exchange else { throw .wrongStep }
        let verification = try Verification(of: authenticate, exchange: exchange, options: options, now: now)
        var challenge: [UInt8] = []
        challenge.append(littleEndian: exchange.message.serverChallenge)
        let response = verification.proof.lowerBound..<verification.temp.upperBound
        return ClientProof(
            user: verification.client.user,
            domain: verification.client.domain,
            serverChallenge: challenge,
            response: [UInt8](copying: authenticate.extracting(response))
        )
    }

    /// Makes the checks that need no secret. The handshake takes no other AUTHENTICATE afterwards.
    mutating func open(
        _ authenticate: Span<UInt8>,
        now: FileTime
    ) throws(ServerHandshakeError) -> (exchange: Exchange, verification: Verification) {
        // A copy of a handshake does not take a second answer, because copies share the claim.
        guard let exchange, keys.claim() else { throw .wrongStep }
        self.exchange = nil
        assert(!isVerified, "a handshake that waits for an AUTHENTICATE has accepted none")
        return (exchange, try Verification(of: authenticate, exchange: exchange, options: options, now: now))
    }

    /// Records a right proof, unless it was seen before.
    private mutating func accept(
        _ verification: Verification,
        of authenticate: Span<UInt8>,
        now: FileTime
    ) throws(ServerHandshakeError) {
        assert(exchange == nil && !isVerified, "one AUTHENTICATE is accepted for each CHALLENGE")
        if let window = options.replayWindow {
            guard window.insert(authenticate.extracting(verification.proof), now: now) else { throw .replayed }
        }
        isVerified = true
        agreedFlags = verification.flags
    }

    /// Records a proof that a batch checked, and stores its keys.
    mutating func accept(
        _ verification: Verification,
        of authenticate: Span<UInt8>,
        now: FileTime,
        sessionBaseKey: Digest16,
        exportedSessionKey: Digest16
    ) throws(ServerHandshakeError) {
        try accept(verification, of: authenticate, now: now)
        keys.replace(sessionBaseKey: sessionBaseKey, exportedSessionKey: exportedSessionKey)
        assert(keys.brokenInvariant(agreedOn: verification.flags) == nil)
    }

    /// Returns the value that signs and encrypts the following messages of the connection, once for each accepted
    /// answer.
    ///
    /// - Returns: `nil` before an accepted answer, at the second call, from a copy of a handshake that returned it, and
    ///   if the client asked for neither signing nor sealing.
    public mutating func sessionSecurity() -> SessionSecurity? {
        takeFlags().flatMap { SessionSecurity(keys: keys, flags: $0, isClient: false) }
    }

    /// Returns, in place of ``sessionSecurity()``, what signs only the first message of each direction.
    ///
    /// - Complexity: no allocation.
    package mutating func firstSignatures() -> FirstSignatures? {
        takeFlags().flatMap { FirstSignatures(keys: keys, flags: $0, isClient: false) }
    }

    /// Returns the flags that were agreed on, for the first call after an accepted answer.
    private mutating func takeFlags() -> NegotiateFlags? {
        guard isVerified, let flags = agreedFlags else { return nil }
        agreedFlags = nil
        // A second value would use the same keystream again, and that reveals both plaintexts.
        return keys.claim() ? flags : nil
    }

    private static func granted(_ asked: NegotiateFlags) throws(ServerHandshakeError) -> NegotiateFlags {
        guard !asked.isDisjoint(with: [.unicode, .oem]) else { throw .encodingMissing }
        guard asked.contains(.extendedSessionSecurity) else { throw .downgrade(missing: [.extendedSessionSecurity]) }
        var flags = asked.intersection(grantable)
        if !asked.contains(.unicode) { flags.insert(.oem) }
        // MS-NLMP 3.2.5.1.1: always set, even if the client does not ask for them.
        flags.formUnion([.ntlm, .targetInfo, .requestTarget, .alwaysSign])
        assert(flags.contains(.unicode) != flags.contains(.oem), "MS-NLMP 2.2.2.5: one encoding is chosen")
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
