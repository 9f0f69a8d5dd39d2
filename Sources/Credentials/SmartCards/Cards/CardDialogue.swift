internal import Credentials
internal import Secrets

/// The dialogue with one card: its session, its login, and both again if the card was away. One thread at a time uses it.
final class CardDialogue {
    let info: CardInfo
    private let module: LoadedModule
    private let pin: SharedSecret?
    private var options: SmartCardOptions
    private var open: Open?

    /// A session that is logged in, and what was found in it.
    private struct Open {
        let session: CardSession
        let mechanisms: Set<UInt>
        var handles: [KeyReference: UInt] = [:]
    }

    /// Finds the only card that fits the URI, and logs in.
    init(
        _ module: LoadedModule,
        _ uri: PKCS11URI,
        pin: SharedSecret?,
        _ options: SmartCardOptions
    ) throws(SmartCardError.Problem) {
        let (cards, failure) = try Self.cards(of: module)
        let found = cards.filter { $0.info.fits(uri) }
        guard let first = found.first else { throw failure ?? .noCard }
        guard found.count == 1 else { throw .severalCards(found.count) }
        self.module = module
        self.pin = pin
        self.options = options
        info = first.info
        try connect(first.slot)
        // The caller allowed more tries for this login. A later one happens by itself, after each loss of the session.
        self.options.retriesRefusedPIN = false
        self.options.usesLastTry = false
    }

    /// The cards that are initialised, and the first failure of a slot: a damaged card in another reader must not disturb.
    static func cards(
        of module: LoadedModule
    ) throws(SmartCardError.Problem) -> (cards: [(slot: UInt, info: CardInfo)], failure: SmartCardError.Problem?) {
        var cards: [(slot: UInt, info: CardInfo)] = []
        var failure: SmartCardError.Problem?
        for slot in try module.slots() {
            do throws(SmartCardError.Problem) {
                let (info, flags) = try module.card(in: slot)
                if flags.contains(.tokenInitialized) { cards.append((slot, info)) }
            } catch {
                guard case .failed(_, let value) = error else { throw error }
                // A card that leaves meanwhile is only not there.
                if !value.isLostSession { failure = failure ?? error }
            }
        }
        return (cards, failure)
    }

    /// Calls the body with the session, the slot's mechanisms and the keys that are known. If the session is lost, the body is
    /// called once more with a new one.
    func withSession<Value>(
        _ body: (CardSession, Set<UInt>, inout [KeyReference: UInt]) throws(SmartCardError.Problem) -> Value
    ) throws(SmartCardError.Problem) -> Value {
        let lost: ReturnValue
        do throws(SmartCardError.Problem) {
            return try useSession(body)
        } catch {
            // A signature that waits for its PIN stays begun, and the session takes no other one.
            if case .wrongPIN = error { open = nil }
            guard case .failed(_, let value) = error, value.isLostSession else { throw error }
            lost = value
        }
        // Once: a card that leaves again is gone.
        open = nil
        do throws(SmartCardError.Problem) {
            return try useSession(body)
        } catch {
            open = nil
            switch error {
            case .noCard: throw .removed(lost)
            case .failed(_, let value) where value.isLostSession: throw .removed(value)
            default: throw error
            }
        }
    }

    private func useSession<Value>(
        _ body: (CardSession, Set<UInt>, inout [KeyReference: UInt]) throws(SmartCardError.Problem) -> Value
    ) throws(SmartCardError.Problem) -> Value {
        if open == nil {
            // The same card, wherever it is now.
            let (cards, failure) = try Self.cards(of: module)
            guard let place = cards.first(where: { $0.info == info }) else { throw failure ?? .noCard }
            try connect(place.slot)
        }
        guard var used = open else { throw .closed }
        defer { if open != nil { open?.handles = used.handles } }
        return try body(used.session, used.mechanisms, &used.handles)
    }

    private func connect(_ slot: UInt) throws(SmartCardError.Problem) {
        let session = try CardSession(module, slot: slot)
        try login(session)
        open = Open(session: session, mechanisms: try module.mechanisms(of: slot))
    }

    // MARK: - Login

    private func login(_ session: CardSession) throws(SmartCardError.Problem) {
        let flags = try module.card(in: session.slot).flags
        guard flags.contains(.loginRequired) else { return }
        try givePIN(flags, session) { pin throws(SmartCardError.Problem) in try session.login(pin) }
    }

    /// Gives the PIN again, for one signature that has begun.
    func confirm(_ session: CardSession) throws(SmartCardError.Problem) {
        try givePIN(try module.card(in: session.slot).flags, session) { pin throws(SmartCardError.Problem) in
            try session.loginAgain(pin)
        }
    }

    private func givePIN(
        _ flags: CardFlags,
        _ session: CardSession,
        _ login: (SharedSecret) throws(SmartCardError.Problem) -> ReturnValue
    ) throws(SmartCardError.Problem) {
        guard let pin else { throw flags.contains(.protectedAuthenticationPath) ? .pinPad : .pinNeeded }
        guard pin.count > 0, pin.count <= SmartCardLimits.pinBytes else { throw .unusablePIN }
        let problem = try RefusedPINs.of(info).attempt(pin, again: options.retriesRefusedPIN) {
            () throws(SmartCardError.Problem) in try give(pin, to: session, login)
        }
        if let problem { throw problem }
    }

    /// Gives the PIN to the card, once.
    private func give(
        _ pin: SharedSecret,
        to session: CardSession,
        _ login: (SharedSecret) throws(SmartCardError.Problem) -> ReturnValue
    ) throws(SmartCardError.Problem) -> (value: SmartCardError.Problem?, answer: RefusedPINs.Answer) {
        // Read again, because another program may have tried a PIN while this one waited.
        switch try module.card(in: session.slot).flags.pinState {
        case .locked: throw .pinLocked
        case .lastTry where !options.usesLastTry: throw .lastTry
        case .lastTry, .tried, .unknown: break
        }
        let value = try login(pin)
        switch value {
        case .ok: return (nil, .accepted)
        case .alreadyLoggedIn: return (nil, .notChecked)
        case .pinIncorrect:
            let state = try? module.card(in: session.slot).flags.pinState
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
    /// Whether each signature needs the PIN again (CKA_ALWAYS_AUTHENTICATE).
    let asksAlways: Bool
}
