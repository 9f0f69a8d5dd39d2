internal import NTLM
internal import WireFormat

/// The client's side of SPNEGO (RFC 4178 section 4 and 5): it offers mechanisms, takes the server's choice, and checks that the
/// offer was not changed. It does no I/O.
///
/// ```
///            first mechanism is taken                     another one is chosen
/// client  NegTokenInit(list, token 1)  ─►                NegTokenInit(list, token 1)  ─►
/// server                               ◄─ token 2                                     ◄─ request-mic, choice
/// client  NegTokenResp(token 3, code)  ─►                NegTokenResp(token 1)        ─►
/// server                               ◄─ completed                                   ◄─ token 2 …
/// ```
package struct ClientNegotiation: Sendable {
    /// What follows from the server's token.
    package enum Reply: Equatable, Sendable {
        /// Send this field value.
        case send(String)
        /// The server accepts the client, and what is demanded has been checked.
        case completed
    }

    private enum Stage { case idle, offered, chosen, ended }

    /// The value of the field is this and a token in base64.
    private static let prefix: StaticString = "Negotiate "

    /// The mechanisms. The list names Kerberos first.
    private let kerberos: SystemInitiator?
    private var ntlm: NTLMInitiator?
    private let list: MechanismList
    /// Whether the tokens of NTLM are exchanged; if not, those of Kerberos.
    private var usesNTLM: Bool
    private var stage = Stage.idle
    private var tokens = 0
    /// Whether a code of the server is due (RFC 4178 section 5).
    private var demandsCode = false
    private var hasSentCode = false
    private var hasCheckedCode = false
    /// Whether the server answers without SPNEGO's frame.
    private var isRaw = false

    /// Offers Kerberos, then NTLM.
    package init(kerberos: SystemInitiator, ntlm: consuming NTLMInitiator? = nil) {
        list = ntlm == nil ? .kerberos : .kerberosAndNTLM
        self.kerberos = kerberos
        self.ntlm = ntlm
        usesNTLM = false
    }

    /// Offers NTLM alone.
    package init(ntlm: consuming NTLMInitiator) {
        list = .ntlm
        kerberos = nil
        self.ntlm = ntlm
        usesNTLM = true
    }

    /// The mechanism whose tokens are exchanged.
    package var mechanism: Mechanism { usesNTLM ? .ntlm : .kerberos }

    /// Whether no further token of the mechanism is due.
    private var isMechanismComplete: Bool { (usesNTLM ? ntlm?.isComplete : kerberos?.isComplete) ?? false }

    /// Whether the server has not answered the first token.
    package var isUnanswered: Bool { stage == .offered }

    /// Whether the last token depends on the password, so that a refusal is one of the password.
    ///
    /// A ticket is not a password: the directory has checked the password before, at the log-on.
    package var hasSentPassword: Bool { usesNTLM && isMechanismComplete }

    /// Whether the server has proven itself.
    package var isServerProven: Bool { (usesNTLM ? ntlm?.isServerProven : kerberos?.isServerProven) ?? false }

    /// The first field value: the list, and the first token of the best mechanism.
    package mutating func start() -> String {
        stage = .offered
        tokens = 1
        guard let token = kerberos?.start() ?? ntlm?.start() else { return "" }
        // NTLM's first message depends on nothing, and so does an offer of NTLM alone.
        if kerberos == nil, token == Self.onlyNTLM.token { return Self.onlyNTLM.value }
        return InitialMessage.base64(list, token: token.span, prefix: Self.prefix)
    }

    /// The usual first message of NTLM, and the field value that offers NTLM alone with it.
    private static let onlyNTLM: (token: [UInt8], value: String) = {
        let token = ClientHandshake.usualNegotiate
        return (token, InitialMessage.base64(.ntlm, token: token.span, prefix: prefix))
    }()

    /// Takes the server's token.
    ///
    /// - Parameters:
    ///   - bytes: the token.
    ///   - isFinal: whether it came with a response that is not a challenge.
    ///   - input: time and random numbers.
    package mutating func received(
        _ bytes: Span<UInt8>,
        isFinal: Bool,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> Reply {
        let before = stage
        // A failure ends the negotiation.
        stage = .ended
        guard before == .offered || before == .chosen else { throw .negotiation(.wrongStep) }
        tokens += 1
        guard tokens <= NegotiationLimits.tokens else { throw .negotiation(.tooManyTokens) }
        let response: ResponseMessage?
        do throws(NegotiationError) {
            response = try Self.response(in: bytes)
            if let response {
                if before == .offered, try choose(response, in: bytes) {
                    // An attacker can make this response without a key. It must not end an exchange whose server is not proven.
                    guard !isFinal else { throw .unfinished }
                    return begin()
                }
                if before == .chosen { try checkChoice(response, in: bytes) }
            }
        } catch {
            throw .negotiation(error)
        }
        guard let response else { return try raw(bytes, isFirst: before == .offered, isFinal: isFinal, input) }
        return try goOn(response, in: bytes, isFinal: isFinal, input)
    }

    /// Takes the end of the exchange by a response without a token.
    package mutating func finished() throws(MechanismFailure) {
        let before = stage
        stage = .ended
        guard before == .offered || before == .chosen else { throw .negotiation(.wrongStep) }
        guard !demandsCode || hasCheckedCode else { throw .negotiation(.integrityCodeMissing) }
    }

    /// Reads a response that does not end the negotiation; `nil` for a message of NTLM without a frame.
    private static func response(in bytes: Span<UInt8>) throws(NegotiationError) -> ResponseMessage? {
        switch try TokenKind(of: bytes) {
        case .ntlm: return nil
        case .response:
            let response = try ResponseMessage(of: bytes)
            guard response.state != .rejected else { throw .rejected }
            return response
        case .initial, .kerberos, .other: throw .unexpectedToken
        }
    }

    // MARK: - The server's choice

    /// Takes the choice of the first response.
    ///
    /// - Returns: whether another mechanism than the first one begins now.
    private mutating func choose(
        _ response: ResponseMessage,
        in bytes: Span<UInt8>
    ) throws(NegotiationError) -> Bool {
        // RFC 4178 section 4.2.2: it is in the first response. Servers that leave it out go on with the first mechanism.
        var chosen = mechanism
        if let place = response.mechanism {
            guard let mechanism = Mechanism(at: place, in: bytes),
                let offered = list.known.first(where: { $0.isSame(as: mechanism) })
            else { throw .mechanismNotOffered }
            chosen = offered
        }
        if response.state == .demandsIntegrityCode { demandsCode = true }
        guard chosen != mechanism else { return false }
        // RFC 4178 section 5: codes are optional only for the client's first choice.
        demandsCode = true
        // The first token was not of this mechanism, so the response cannot have one.
        guard response.token == nil, response.listCode(in: bytes) == nil, response.state != .completed else {
            throw .unexpectedToken
        }
        assert(chosen == .ntlm, "Kerberos is the first of the list")
        usesNTLM = true
        return true
    }

    private func checkChoice(_ response: ResponseMessage, in bytes: Span<UInt8>) throws(NegotiationError) {
        // RFC 4178 section 4.2.2: only the first response demands codes.
        guard response.state != .demandsIntegrityCode else { throw .wrongStep }
        guard let place = response.mechanism else { return }
        guard let mechanism = Mechanism(at: place, in: bytes), mechanism.isSame(as: self.mechanism) else {
            throw .mechanismChanged
        }
    }

    private mutating func begin() -> Reply {
        stage = .chosen
        return .send(ResponseMessage.base64(.init(token: ntlm?.start()), prefix: Self.prefix))
    }

    // MARK: - Tokens of the mechanism

    private mutating func goOn(
        _ response: ResponseMessage,
        in bytes: Span<UInt8>,
        isFinal: Bool,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> Reply {
        var next: [UInt8]?
        // Of a token and its copy, neither is of the mechanism once that is complete.
        let isSpent = isMechanismComplete && response.repeatsToken(in: bytes)
        if let token = response.token, !isSpent, !token.isEmpty || !isMechanismComplete {
            guard !isMechanismComplete else { throw .negotiation(.unexpectedToken) }
            if usesNTLM {
                guard response.listCode(in: bytes) == nil else { throw .negotiation(.integrityCodeWrong) }
                return try answer(bytes.extracting(token), response, isFinal: isFinal, input)
            }
            next = try kerberos?.step(bytes.extracting(token))
        }
        if let code = response.listCode(in: bytes), !provesNothing(bytes.extracting(code)) {
            // Keys exist once the mechanism is complete. Each side sends one code.
            guard isMechanismComplete, !hasCheckedCode, accepts(bytes.extracting(code)) else {
                throw .negotiation(.integrityCodeWrong)
            }
            hasCheckedCode = true
        }
        if response.state == .completed || isFinal {
            guard response.state == .completed || response.state == nil, next == nil, isMechanismComplete else {
                throw .negotiation(.unfinished)
            }
            guard !demandsCode || hasCheckedCode else { throw .negotiation(.integrityCodeMissing) }
            return .completed
        }
        var code: [UInt8]?
        if !usesNTLM, isMechanismComplete, !hasSentCode {
            // Optional for the first choice.
            code = kerberos?.integrityCode(over: list.bytes)
            guard code != nil || !demandsCode else { throw .negotiation(.integrityCodeMissing) }
            hasSentCode = code != nil
        }
        guard next != nil || code != nil else { throw .negotiation(.tokenMissing) }
        stage = .chosen
        return .send(ResponseMessage.base64(.init(token: next, integrityCode: code), prefix: Self.prefix))
    }

    /// Answers the CHALLENGE, the only token of a server of NTLM, with the AUTHENTICATE and our code beside it.
    private mutating func answer(
        _ challenge: Span<UInt8>,
        _ response: ResponseMessage,
        isFinal: Bool,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> Reply {
        // Before the AUTHENTICATE the server has neither a reason to accept the client nor the keys of a code.
        guard response.state != .completed, !isFinal else { throw .negotiation(.unfinished) }
        // The code is optional for the first choice; Windows sends it with the last message of NTLM, and so does this client.
        let value = try ntlm?.response(
            to: challenge,
            list: list.bytes,
            demandsCode: demandsCode,
            prefix: Self.prefix,
            input
        )
        guard let value else { throw .negotiation(.tokenMissing) }
        stage = .chosen
        return .send(value)
    }

    /// Whether a code stands in place of one that the agreed flags allow no side to make.
    private func provesNothing(_ code: Span<UInt8>) -> Bool {
        usesNTLM && isMechanismComplete && ntlm?.hasKeys == false && ListCode.isPlaceholder(code)
    }

    /// Whether the server's code over the list is right.
    private mutating func accepts(_ code: Span<UInt8>) -> Bool {
        (usesNTLM
            ? ntlm?.accepts(integrityCode: code, over: list.bytes)
            : kerberos?.accepts(integrityCode: code, over: list.bytes)) ?? false
    }

    /// Takes a message of NTLM without a frame. Only where the offer had nothing else: nothing protects the list then.
    private mutating func raw(
        _ bytes: Span<UInt8>,
        isFirst: Bool,
        isFinal: Bool,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> Reply {
        guard isFirst || isRaw, list.known == [.ntlm], !isFinal else { throw .negotiation(.unexpectedToken) }
        guard let next = try ntlm?.step(bytes, input) else { throw .negotiation(.tokenMissing) }
        isRaw = true
        stage = .chosen
        return .send("\(Self.prefix)" + Base64.encode(next.span))
    }
}
