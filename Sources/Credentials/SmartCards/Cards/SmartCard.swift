internal import Credentials
public import Secrets
internal import Synchronization

/// A smart card, an HSM or another card, whose keys sign and cannot be read.
///
/// ```swift
/// let uri = try PKCS11URI(parsing: "pkcs11:token=Work?module-path=/usr/lib/opensc-pkcs11.so&pin-source=/run/secrets/pin")
/// let card = try await SmartCard.open(uri)
/// let laptop = try await card.identity(named: "laptop")
/// ```
///
/// All calls of one card run in turn on a thread of its own. The session ends when the card and all its keys are gone, or with
/// ``close()``. The PIN stays in memory until then, because a card that was away needs it again.
public final class SmartCard: Sendable {
    /// What the card says of itself.
    public let info: CardInfo
    /// The URI with which it was opened.
    public let uri: PKCS11URI
    private let worker: CardWorker
    private let connection: CardConnection
    private let limit: Duration

    private init(_ uri: PKCS11URI, _ worker: CardWorker, _ connection: CardConnection, _ limit: Duration) {
        info = connection.info
        self.uri = uri
        self.worker = worker
        self.connection = connection
        self.limit = limit
    }

    deinit {
        // The module may wait, and this thread may be an event loop's.
        worker.runLast { [connection] in connection.close() }
    }

    /// Loads the module, finds the only card that fits the URI, and logs in if the card asks for it.
    ///
    /// A wrong PIN is tried once: this process does not give it to the card again, and it gives none if the next wrong one would
    /// lock the card. ``SmartCardOptions`` changes both. If the process is logged in already, the PIN is not checked.
    ///
    /// - Parameters:
    ///   - uri: the card, and the object for ``identity(named:)``.
    ///   - module: the absolute path of the module; `nil` for that of the URI.
    ///   - pin: the PIN; `nil` for that of the URI's file, which only this user may read.
    ///   - options: the limits.
    /// - Throws: ``SmartCardError``, or `CancellationError`.
    public static func open(
        _ uri: PKCS11URI,
        module: String? = nil,
        pin: SharedSecret? = nil,
        options: SmartCardOptions = SmartCardOptions()
    ) async throws -> SmartCard {
        let worker = CardWorker()
        let place = uri.description
        // If the caller has left meanwhile, the card is gone at once, and its end closes the session on its thread.
        return try await worker.run(at: place, within: options.waitLimit) { () throws(SmartCardError) in
            let connection = try CardConnection(uri, module: module ?? uri.modulePath, pin: pin, options, at: place)
            return SmartCard(uri, worker, connection, options.waitLimit)
        }
    }

    /// The cards of a module that are initialised and present, without a login.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the module.
    ///   - limit: how long the module may take.
    /// - Throws: ``SmartCardError``, or `CancellationError`.
    public static func cards(ofModule path: String, within limit: Duration = .seconds(10)) async throws -> [CardInfo] {
        try await CardWorker().run(at: path, within: limit) { () throws(SmartCardError) in
            try SmartCardError.placing(path) { () throws(SmartCardError.Problem) in
                try CardDialogue.cards(of: LoadedModule(path: path)).cards.map(\.info)
            }
        }
    }

    /// The keys that fit the URI, each with the certificate that it proves with a signature.
    ///
    /// - Complexity: one signature for each key.
    /// - Throws: ``SmartCardError``, or `CancellationError`.
    public func contents() async throws -> CardContents {
        let found = try await find()
        return CardContents(
            identities: found.keys.map { CardIdentity($0, name: $0.object, self) },
            unusable: found.unusable.map { SmartCardError(place: "\(uri): \($0.object)", problem: $0.problem) }
        )
    }

    /// The identity that fits the URI.
    ///
    /// - Parameter name: the name of the identity in the profile.
    /// - Throws: ``SmartCardError`` if none or several fit, or `CancellationError`.
    public func identity(named name: String) async throws -> CardIdentity {
        let found = try await find()
        guard let first = found.keys.first else {
            guard let unusable = found.unusable.first else {
                throw SmartCardError(place: "\(uri)", problem: .noIdentity)
            }
            throw SmartCardError(place: "\(uri): \(unusable.object)", problem: unusable.problem)
        }
        guard found.keys.count == 1 else {
            throw SmartCardError(place: "\(uri)", problem: .severalIdentities(found.keys.map(\.object)))
        }
        return CardIdentity(first, name: name, self)
    }

    /// Ends the session. Keys of the card do not sign any more.
    public func close() async {
        // A module that does not return cannot be waited for.
        let place = uri.description
        _ = try? await worker.run(at: place, within: limit) { [connection] () throws(SmartCardError) in
            connection.close()
        }
    }

    private func find() async throws -> FoundKeys {
        let place = uri.description
        return try await worker.run(at: place, within: limit) { [connection, uri] () throws(SmartCardError) in
            try SmartCardError.placing(place) { () throws(SmartCardError.Problem) in
                try connection.use { dialogue throws(SmartCardError.Problem) in try dialogue.keys(uri) }
            }
        }
    }

    func sign(
        _ message: [UInt8],
        _ reference: KeyReference,
        _ publicKey: PublicKey,
        _ algorithm: SigningAlgorithm
    ) async throws -> [UInt8] {
        let place = "\(uri): \(reference.object)"
        return try await worker.run(at: place, within: limit) { [connection] () throws(SmartCardError) in
            try SmartCardError.placing(place) { () throws(SmartCardError.Problem) in
                try connection.use { dialogue throws(SmartCardError.Problem) in
                    try dialogue.sign(message, reference, publicKey, algorithm)
                }
            }
        }
    }
}

/// The dialogue with a card, until it is closed. Only the thread of the card uses it, so that its lock never waits.
final class CardConnection: Sendable {
    let info: CardInfo
    private let dialogue: Mutex<CardDialogue?>

    init(
        _ uri: PKCS11URI,
        module path: String?,
        pin: SharedSecret?,
        _ options: SmartCardOptions,
        at place: String
    ) throws(SmartCardError) {
        guard let path else { throw SmartCardError(place: place, problem: .noModule) }
        let module = try SmartCardError.placing(path) { () throws(SmartCardError.Problem) in
            try LoadedModule(path: path)
        }
        let opened = try SmartCardError.placing(place) { () throws(SmartCardError.Problem) in
            let pin = if let pin { pin } else { try Self.load(uri.pinSource) }
            return try CardDialogue(module, uri, pin: pin, options)
        }
        info = opened.info
        dialogue = Mutex(opened)
    }

    func use<Value: Sendable>(
        _ body: (CardDialogue) throws(SmartCardError.Problem) -> Value
    ) throws(SmartCardError.Problem) -> Value {
        try dialogue.withLock { dialogue throws(SmartCardError.Problem) in
            guard let dialogue else { throw .closed }
            return try body(dialogue)
        }
    }

    func close() { dialogue.withLock { $0 = nil } }

    private static func load(_ source: SecretReference?) throws(SmartCardError.Problem) -> SharedSecret? {
        guard let source else { return nil }
        do throws(SecretReferenceError) {
            return try source.load(strict: true)
        } catch {
            throw .pinSource(error)
        }
    }
}

extension SmartCardError {
    /// Adds the place to the problems of `body`.
    static func placing<Value>(
        _ place: String,
        _ body: () throws(Problem) -> Value
    ) throws(SmartCardError) -> Value {
        do throws(Problem) {
            return try body()
        } catch {
            throw SmartCardError(place: place, problem: error)
        }
    }
}
