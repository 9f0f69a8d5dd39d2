internal import Credentials
internal import Secrets

/// The dialogue with one token: its session, its login, and both again if the token was away. One thread at a time uses it.
final class TokenDialogue {
    let info: TokenInfo
    private let module: LoadedModule
    private let pin: SharedSecret?
    private var options: TokenOptions
    private var open: Open?

    /// A session that is logged in, and what was found in it.
    private struct Open {
        let session: TokenSession
        let mechanisms: Set<UInt>
        var handles: [KeyReference: UInt] = [:]
    }

    /// Finds the only token that fits the URI, and logs in.
    init(
        _ module: LoadedModule,
        _ uri: TokenURI,
        pin: SharedSecret?,
        _ options: TokenOptions
    ) throws(TokenError.Problem) {
        let (tokens, failure) = try Self.tokens(of: module)
        let found = tokens.filter { $0.info.fits(uri) }
        guard let first = found.first else { throw failure ?? .noToken }
        guard found.count == 1 else { throw .severalTokens(found.count) }
        self.module = module
        self.pin = pin
        self.options = options
        info = first.info
        try connect(first.slot)
        // The caller allowed more tries for this login. A later one happens by itself, after each loss of the session.
        self.options.retriesRefusedPIN = false
        self.options.usesLastTry = false
    }

    /// The tokens that are initialised, and the first failure of a slot: a damaged card in another reader must not disturb.
    static func tokens(
        of module: LoadedModule
    ) throws(TokenError.Problem) -> (tokens: [(slot: UInt, info: TokenInfo)], failure: TokenError.Problem?) {
        var tokens: [(slot: UInt, info: TokenInfo)] = []
        var failure: TokenError.Problem?
        for slot in try module.slots() {
            do throws(TokenError.Problem) {
                let (info, flags) = try module.token(in: slot)
                if flags.contains(.tokenInitialized) { tokens.append((slot, info)) }
            } catch {
                guard case .failed(_, let value) = error else { throw error }
                // A token that leaves meanwhile is only not there.
                if !value.isLostSession { failure = failure ?? error }
            }
        }
        return (tokens, failure)
    }

    /// Calls the body with the session, the slot's mechanisms and the keys that are known. If the session is lost, the body is
    /// called once more with a new one.
    func withSession<Value>(
        _ body: (TokenSession, Set<UInt>, inout [KeyReference: UInt]) throws(TokenError.Problem) -> Value
    ) throws(TokenError.Problem) -> Value {
        let lost: ReturnValue
        do throws(TokenError.Problem) {
            return try useSession(body)
        } catch {
            guard case .failed(_, let value) = error, value.isLostSession else { throw error }
            lost = value
        }
        // Once: a token that leaves again is gone.
        open = nil
        do throws(TokenError.Problem) {
            return try useSession(body)
        } catch {
            open = nil
            switch error {
            case .noToken: throw .removed(lost)
            case .failed(_, let value) where value.isLostSession: throw .removed(value)
            default: throw error
            }
        }
    }

    private func useSession<Value>(
        _ body: (TokenSession, Set<UInt>, inout [KeyReference: UInt]) throws(TokenError.Problem) -> Value
    ) throws(TokenError.Problem) -> Value {
        if open == nil {
            // The same token, wherever it is now.
            let (tokens, failure) = try Self.tokens(of: module)
            guard let place = tokens.first(where: { $0.info == info }) else { throw failure ?? .noToken }
            try connect(place.slot)
        }
        guard var used = open else { throw .closed }
        defer { if open != nil { open?.handles = used.handles } }
        return try body(used.session, used.mechanisms, &used.handles)
    }

    private func connect(_ slot: UInt) throws(TokenError.Problem) {
        let session = try TokenSession(module, slot: slot)
        try login(session)
        open = Open(session: session, mechanisms: try module.mechanisms(of: slot))
    }

    // MARK: - Login

    private func login(_ session: TokenSession) throws(TokenError.Problem) {
        let flags = try module.token(in: session.slot).flags
        guard flags.contains(.loginRequired) else { return }
        guard let pin else { throw flags.contains(.protectedAuthenticationPath) ? .pinPad : .pinNeeded }
        guard pin.count > 0, pin.count <= TokenLimits.pinBytes else { throw .unusablePIN }
        let problem = try RefusedPINs.of(info).attempt(pin, again: options.retriesRefusedPIN) {
            () throws(TokenError.Problem) in try give(pin, to: session)
        }
        if let problem { throw problem }
    }

    /// Gives the PIN to the token, once.
    private func give(
        _ pin: SharedSecret,
        to session: TokenSession
    ) throws(TokenError.Problem) -> (value: TokenError.Problem?, answer: RefusedPINs.Answer) {
        // Read again, because another program may have tried a PIN while this one waited.
        switch try module.token(in: session.slot).flags.pinState {
        case .locked: throw .pinLocked
        case .lastTry where !options.usesLastTry: throw .lastTry
        case .lastTry, .tried, .unknown: break
        }
        let value = try session.login(pin)
        switch value {
        case .ok: return (nil, .accepted)
        case .alreadyLoggedIn: return (nil, .notChecked)
        case .pinIncorrect:
            let state = try? module.token(in: session.slot).flags.pinState
            return (.wrongPIN(state ?? .unknown), .refused)
        case .pinInvalid, .pinLengthRange: return (.unusablePIN, .refused)
        case .pinLocked: return (.pinLocked, .refused)
        case .pinExpired: throw .pinExpired
        case .pinNotInitialized: throw .pinNotSet
        default: throw .failed("C_Login", value)
        }
    }
}

/// By what a key is found again in another session.
struct KeyReference: Hashable, Sendable {
    let id: [UInt8]
    let label: [UInt8]
    let type: UInt
}
