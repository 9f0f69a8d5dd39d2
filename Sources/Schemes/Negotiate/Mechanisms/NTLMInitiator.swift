package import NTLM

/// NTLM as a mechanism of SPNEGO (MS-SPNG 1.8, MS-NLMP).
package struct NTLMInitiator: InitiatorMechanism {
    private var handshake: ClientHandshake
    /// The keys for the codes over the list of mechanisms; `nil` before the AUTHENTICATE.
    private var session: OwnedSession?
    package private(set) var isComplete = false

    package init(account: NTLMAccount, options: ClientHandshake.Options) {
        handshake = ClientHandshake(account: account, options: options)
    }

    package var mechanism: Mechanism { .ntlm }
    // NTLM proves that the server, or its directory, knows the password only by a right code over the list.
    package private(set) var isServerProven = false
    package var hasSentPassword: Bool { isComplete }

    package mutating func start() -> [UInt8] { handshake.negotiate() }

    package mutating func step(
        _ token: Span<UInt8>,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> [UInt8]? {
        guard !isComplete else { throw .negotiation(.unexpectedToken) }
        let authenticate: [UInt8]
        do throws(HandshakeError) {
            authenticate = try handshake.authenticate(challenge: token, now: input.now, nonces: input.nonces)
        } catch {
            throw .ntlm(error)
        }
        isComplete = true
        return authenticate
    }

    package mutating func integrityCode(over bytes: [UInt8]) -> [UInt8]? {
        openSession()
        return session?.sign(bytes.span)
    }

    package mutating func accepts(integrityCode: Span<UInt8>, over bytes: [UInt8]) -> Bool {
        openSession()
        isServerProven = session?.accepts(integrityCode, over: bytes.span) ?? false
        return isServerProven
    }

    private mutating func openSession() {
        guard session == nil, let keys = handshake.sessionSecurity() else { return }
        session = OwnedSession(keys)
    }
}
