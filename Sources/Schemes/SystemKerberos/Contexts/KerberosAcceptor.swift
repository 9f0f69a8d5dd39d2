internal import CGSSAPI

/// The server's side of a log-on. Each value is one log-on.
///
/// The library writes each log-on into its replay cache, a file, so take steps off an event loop: ``KerberosExchange`` does. The context
/// is deleted with this value, however the log-on ends.
public struct KerberosAcceptor: KerberosContext, ~Copyable, Sendable {
    /// Whether the client's log-on is tied to the TLS connection.
    public enum Bindings: Equatable, Sendable {
        /// The server gave no channel binding, so none was checked.
        case unchecked
        /// The client sent none, or the library does not say whether it did (MIT Kerberos before 1.19).
        case absent
        /// The client's is the server's.
        case matched
    }

    /// What the server asks for.
    public struct Options: Equatable, Sendable {
        /// The channel binding's application data of this connection; `nil` without TLS. Another one of the client is refused.
        public var bindings: [UInt8]?
        /// Whether a client without a channel binding is refused.
        public var demandsBindings: Bool

        /// A server's wishes; by default no channel binding is checked.
        public init(bindings: [UInt8]? = nil, demandsBindings: Bool = false) {
            self.bindings = bindings
            self.demandsBindings = demandsBindings
        }
    }

    private let credential: KerberosCredential
    private let options: Options
    private var context: SecurityContext

    /// Who logged on, such as `user@REALM`; `nil` until the log-on is complete.
    public private(set) var client: String?
    /// Whether the log-on is tied to the TLS connection; known once the log-on is complete.
    public private(set) var bindings = Bindings.unchecked
    /// Whether the client asked for this server's proof.
    public private(set) var isMutual = false
    /// The library's message for the client after a failed step, which tells it the reason; empty if there is none.
    public private(set) var errorToken: [UInt8] = []

    /// Prepares a log-on.
    ///
    /// - Throws: ``KerberosError`` if the credential is a client's, the binding is empty or too long, or one is demanded and none given.
    public init(credential: KerberosCredential, options: Options = Options()) throws(KerberosError) {
        self.credential = credential
        self.options = options
        guard credential.use == .accept else {
            throw KerberosError(.accept, .outOfTurn, detail: "the credential is a client's")
        }
        if let bindings = options.bindings, !(1...KerberosLimits.bindingBytes).contains(bindings.count) {
            throw KerberosError(.accept, .badBinding)
        }
        guard options.bindings != nil || !options.demandsBindings else {
            throw KerberosError(.accept, .bindingsMissing)
        }
        context = SecurityContext(.accept, about: credential.principal, credential.library)
    }

    /// Takes the client's token.
    ///
    /// - Returns: the token for the client, empty if it did not ask for a proof, and whether the log-on is done.
    public mutating func step(_ input: Span<UInt8>) throws(KerberosError) -> KerberosStep {
        guard !input.isEmpty else { throw context.fail(.malformedToken) }
        var (minor, done) = (UInt32(0), UInt32(0))
        // The context is being changed below, so the rest of this value cannot be read there.
        let (credential, bindings) = (credential, options.bindings)
        var (name, refusal) = (ImportedName?.none, [UInt8]())
        defer { errorToken = refusal }
        let step = try unsafe context.step(
            input,
            { handle, output in
                var source: sallyport_gss_name?
                let major = unsafe withLibraryBuffer(input) { buffer in
                    unsafe withChannelBindings(bindings) { bindings in
                        unsafe credential.withHandle { handleOfCredential in
                            // A ticket that the client hands over is not taken.
                            unsafe credential.library.functions.accept_context(
                                &minor,
                                handle,
                                handleOfCredential,
                                buffer,
                                bindings,
                                &source,
                                nil,
                                output,
                                &done,
                                nil,
                                nil
                            )
                        }
                    }
                }
                if let source = unsafe source { name = unsafe ImportedName(owning: source, credential.library) }
                return Status(major: major, minor: minor)
            },
            failed: { output in refusal = output.bytes(limit: KerberosLimits.tokenBytes) }
        )
        if step.isComplete { try checkEnd(name, done) }
        return step
    }

    private mutating func checkEnd(_ name: ImportedName?, _ done: UInt32) throws(KerberosError) {
        guard let name, done & ContextFlags.anonymous == 0 else { throw context.fail(.badName) }
        let isBound = options.bindings != nil && done & ContextFlags.channelBound != 0
        if options.demandsBindings, !isBound { throw context.fail(.bindingsMissing) }
        do { client = try name.text(.accept) } catch {
            _ = context.fail(.badName)
            throw error
        }
        bindings = options.bindings == nil ? .unchecked : isBound ? .matched : .absent
        isMutual = done & ContextFlags.mutual != 0
    }

    /// Makes the integrity code of a message (RFC 2743, 2.3.1), after the log-on is complete.
    public mutating func messageIntegrityCode(of message: Span<UInt8>) throws(KerberosError) -> [UInt8] {
        try context.messageIntegrityCode(of: message)
    }

    /// Checks the client's integrity code of a message, after the log-on is complete.
    public mutating func verify(_ code: Span<UInt8>, of message: Span<UInt8>) throws(KerberosError) {
        try context.verify(code, of: message)
    }
}
