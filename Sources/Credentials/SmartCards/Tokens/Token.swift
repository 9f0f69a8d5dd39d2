internal import Credentials
public import Secrets
internal import Synchronization

/// A smart card, an HSM or another token, whose keys sign and cannot be read.
///
/// ```swift
/// let uri = try TokenURI(parsing: "pkcs11:token=Work?module-path=/usr/lib/opensc-pkcs11.so&pin-source=/run/secrets/pin")
/// let token = try await Token.open(uri)
/// let laptop = try await token.identity(named: "laptop")
/// ```
///
/// All calls of one token run in turn on a thread of its own. The session ends when the token and all its keys are gone, or with
/// ``close()``. The PIN stays in memory until then, because a token that was away needs it again.
public final class Token: Sendable {
    /// What the token says of itself.
    public let info: TokenInfo
    /// The URI with which it was opened.
    public let uri: TokenURI
    private let worker: TokenWorker
    private let connection: TokenConnection
    private let limit: Duration

    private init(_ uri: TokenURI, _ worker: TokenWorker, _ connection: TokenConnection, _ limit: Duration) {
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

    /// Loads the module, finds the only token that fits the URI, and logs in if the token asks for it.
    ///
    /// A wrong PIN is tried once: this process does not give it to the token again, and it gives none if the next wrong one would
    /// lock the token. ``TokenOptions`` changes both. If the process is logged in already, the PIN is not checked.
    ///
    /// - Parameters:
    ///   - uri: the token, and the object for ``identity(named:)``.
    ///   - module: the absolute path of the module; `nil` for that of the URI.
    ///   - pin: the PIN; `nil` for that of the URI's file, which only this user may read.
    ///   - options: the limits.
    /// - Throws: ``TokenError``, or `CancellationError`.
    public static func open(
        _ uri: TokenURI,
        module: String? = nil,
        pin: SharedSecret? = nil,
        options: TokenOptions = TokenOptions()
    ) async throws -> Token {
        let worker = TokenWorker()
        let place = uri.description
        // If the caller has left meanwhile, the token is gone at once, and its end closes the session on its thread.
        return try await worker.run(at: place, within: options.waitLimit) { () throws(TokenError) in
            let connection = try TokenConnection(uri, module: module ?? uri.modulePath, pin: pin, options, at: place)
            return Token(uri, worker, connection, options.waitLimit)
        }
    }

    /// The tokens of a module that are initialised and present, without a login.
    ///
    /// - Parameters:
    ///   - path: the absolute path of the module.
    ///   - limit: how long the module may take.
    /// - Throws: ``TokenError``, or `CancellationError`.
    public static func tokens(ofModule path: String, within limit: Duration = .seconds(10)) async throws -> [TokenInfo]
    {
        try await TokenWorker().run(at: path, within: limit) { () throws(TokenError) in
            try TokenError.placing(path) { () throws(TokenError.Problem) in
                try TokenDialogue.tokens(of: LoadedModule(path: path)).tokens.map(\.info)
            }
        }
    }

    /// The keys that fit the URI, each with the certificate that it proves with a signature.
    ///
    /// - Complexity: one signature for each key.
    /// - Throws: ``TokenError``, or `CancellationError`.
    public func contents() async throws -> TokenContents {
        let found = try await find()
        return TokenContents(
            identities: found.keys.map { TokenIdentity($0, name: $0.object, self) },
            unusable: found.unusable.map { TokenError(place: "\(uri): \($0.object)", problem: $0.problem) }
        )
    }

    /// The identity that fits the URI.
    ///
    /// - Parameter name: the name of the identity in the profile.
    /// - Throws: ``TokenError`` if none or several fit, or `CancellationError`.
    public func identity(named name: String) async throws -> TokenIdentity {
        let found = try await find()
        guard let first = found.keys.first else {
            guard let unusable = found.unusable.first else { throw TokenError(place: "\(uri)", problem: .noIdentity) }
            throw TokenError(place: "\(uri): \(unusable.object)", problem: unusable.problem)
        }
        guard found.keys.count == 1 else {
            throw TokenError(place: "\(uri)", problem: .severalIdentities(found.keys.map(\.object)))
        }
        return TokenIdentity(first, name: name, self)
    }

    /// Ends the session. Keys of the token do not sign any more.
    public func close() async {
        // A module that does not return cannot be waited for.
        let place = uri.description
        _ = try? await worker.run(at: place, within: limit) { [connection] () throws(TokenError) in connection.close() }
    }

    private func find() async throws -> FoundKeys {
        let place = uri.description
        return try await worker.run(at: place, within: limit) { [connection, uri] () throws(TokenError) in
            try TokenError.placing(place) { () throws(TokenError.Problem) in
                try connection.use { dialogue throws(TokenError.Problem) in try dialogue.keys(uri) }
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
        return try await worker.run(at: place, within: limit) { [connection] () throws(TokenError) in
            try TokenError.placing(place) { () throws(TokenError.Problem) in
                try connection.use { dialogue throws(TokenError.Problem) in
                    try dialogue.sign(message, reference, publicKey, algorithm)
                }
            }
        }
    }
}

/// The dialogue with a token, until it is closed. Only the thread of the token uses it, so that its lock never waits.
final class TokenConnection: Sendable {
    let info: TokenInfo
    private let dialogue: Mutex<TokenDialogue?>

    init(
        _ uri: TokenURI,
        module path: String?,
        pin: SharedSecret?,
        _ options: TokenOptions,
        at place: String
    ) throws(TokenError) {
        guard let path else { throw TokenError(place: place, problem: .noModule) }
        let module = try TokenError.placing(path) { () throws(TokenError.Problem) in try LoadedModule(path: path) }
        let opened = try TokenError.placing(place) { () throws(TokenError.Problem) in
            let pin = if let pin { pin } else { try Self.load(uri.pinSource) }
            return try TokenDialogue(module, uri, pin: pin, options)
        }
        info = opened.info
        dialogue = Mutex(opened)
    }

    func use<Value: Sendable>(
        _ body: (TokenDialogue) throws(TokenError.Problem) -> Value
    ) throws(TokenError.Problem) -> Value {
        try dialogue.withLock { dialogue throws(TokenError.Problem) in
            guard let dialogue else { throw .closed }
            return try body(dialogue)
        }
    }

    func close() { dialogue.withLock { $0 = nil } }

    private static func load(_ source: SecretReference?) throws(TokenError.Problem) -> SharedSecret? {
        guard let source else { return nil }
        do throws(SecretReferenceError) {
            return try source.load(strict: true)
        } catch {
            throw .pinSource(error)
        }
    }
}

extension TokenError {
    /// Adds the place to the problems of `body`.
    static func placing<Value>(
        _ place: String,
        _ body: () throws(Problem) -> Value
    ) throws(TokenError) -> Value {
        do throws(Problem) {
            return try body()
        } catch {
            throw TokenError(place: place, problem: error)
        }
    }
}
