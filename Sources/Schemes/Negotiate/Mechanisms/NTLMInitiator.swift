package import NTLM
internal import WireFormat

/// The client's side of NTLM as a mechanism of SPNEGO (MS-SPNG 1.8, MS-NLMP).
package struct NTLMInitiator: Sendable {
    private var handshake: ClientHandshake
    /// Signs the list of mechanisms, with sequence number 0 (MS-SPNG 3.1.5.1); `nil` before the AUTHENTICATE, and without keys.
    private var signatures: FirstSignatures?
    /// Whether the AUTHENTICATE was made.
    package private(set) var isComplete = false
    // NTLM proves that the server, or its directory, knows the password only by a right code over the list.
    /// Whether the server's code over the list was right.
    package private(set) var isServerProven = false

    package init(account: NTLMAccount, options: ClientHandshake.Options) {
        handshake = ClientHandshake(account: account, options: options)
    }

    /// The first token.
    mutating func start() -> [UInt8] { handshake.negotiate() }

    /// Answers a CHALLENGE that came without a frame.
    mutating func step(_ challenge: Span<UInt8>, _ input: MechanismInput) throws(MechanismFailure) -> [UInt8] {
        guard !isComplete else { throw .negotiation(.unexpectedToken) }
        let authenticate: [UInt8]
        do throws(HandshakeError) {
            authenticate = try handshake.authenticate(challenge: challenge, now: input.now, nonces: input.nonces)
        } catch {
            throw .ntlm(error)
        }
        isComplete = true
        return authenticate
    }

    /// Answers a CHALLENGE: the response with the AUTHENTICATE and our code over the list, in base64.
    ///
    /// The code is left out if client and server did not agree on signatures.
    ///
    /// - Parameter demandsCode: whether a response is refused if it has no code.
    /// - Complexity: one allocation.
    mutating func response(
        to challenge: Span<UInt8>,
        list: [UInt8],
        demandsCode: Bool,
        prefix: StaticString,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> String {
        guard !isComplete else { throw .negotiation(.unexpectedToken) }
        let framed: FramedAnswer
        do throws(HandshakeError) {
            framed = try handshake.prepareFramed(challenge: challenge, now: input.now)
        } catch {
            throw .ntlm(error)
        }
        guard framed.agreesOnSignatures || !demandsCode else { throw .negotiation(.integrityCodeMissing) }
        let code = framed.agreesOnSignatures ? FirstSignatures.byteCount : nil
        let frame = ResponseFrame(token: framed.byteCount, code: code)
        let (text, signatures) = handshake.authenticateBase64(
            framed,
            challenge: challenge,
            signing: list.span,
            nonces: input.nonces,
            prefix: prefix,
            sizes: FrameSizes(head: frame.headCount, tail: frame.tailCount),
            head: { frame.writeHead(into: &$0) },
            tail: { frame.writeTail(code: $1, into: &$0) }
        )
        self.signatures = signatures
        isComplete = true
        return text
    }

    /// Whether there are keys for codes, after the AUTHENTICATE.
    var hasKeys: Bool { signatures != nil }

    /// Whether the server's code over `list` is right.
    mutating func accepts(integrityCode: Span<UInt8>, over list: [UInt8]) -> Bool {
        isServerProven = signatures?.accepts(integrityCode, of: list.span) ?? false
        return isServerProven
    }
}
