internal import CGSSAPI

/// The client's side of a log-on. Each value is one log-on.
///
/// The first step may wait for a KDC, so take steps off an event loop: ``KerberosExchange`` does. The context is deleted with this value,
/// however the log-on ends.
public struct KerberosInitiator: KerberosContext, ~Copyable, Sendable {
    /// What the client asks for.
    public struct Options: Equatable, Sendable {
        /// Whether the server must prove that it has the service's key. Then the log-on takes a token from the server.
        public var demandsMutual: Bool
        /// Whether the server may act for the user at other services. The library then hands over a ticket for everything, but only
        /// to a service that the KDC marks `ok-as-delegate`.
        public var delegates: Bool
        /// The channel binding's application data, such as `tls-server-end-point:` and a digest (RFC 5929); `nil` without TLS.
        public var bindings: [UInt8]?

        /// A client's wishes; by default the server must prove who it is, and nothing is delegated.
        public init(demandsMutual: Bool = true, delegates: Bool = false, bindings: [UInt8]? = nil) {
            self.demandsMutual = demandsMutual
            self.delegates = delegates
            self.bindings = bindings
        }
    }

    private let credential: KerberosCredential
    private let service: KerberosService
    private let options: Options
    private var context: SecurityContext
    private var flags: UInt32 = 0

    /// Whether the server proved that it has the service's key.
    public private(set) var isMutual = false
    /// Whether the user's ticket was handed over.
    public private(set) var hasDelegated = false

    /// Prepares a log-on.
    ///
    /// - Throws: ``KerberosError`` if the credential is a server's, or the binding is empty or too long.
    public init(
        credential: KerberosCredential,
        service: KerberosService,
        options: Options = Options()
    ) throws(KerberosError) {
        self.credential = credential
        self.service = service
        self.options = options
        guard credential.use == .initiate else {
            throw KerberosError(.initiate, .outOfTurn, about: service.text, detail: "the credential is a server's")
        }
        if let bindings = options.bindings, !(1...KerberosLimits.bindingBytes).contains(bindings.count) {
            throw KerberosError(.initiate, .badBinding, about: service.text)
        }
        context = SecurityContext(.initiate, about: service.text, credential.library)
    }

    /// Takes the server's token; call it first with an empty one.
    ///
    /// - Returns: the first token for the server, and whether the log-on is done. With mutual authentication it is done after the
    ///   server's token.
    public mutating func step(_ input: Span<UInt8>) throws(KerberosError) -> KerberosStep {
        var asked = ContextFlags.integrity | ContextFlags.replay | ContextFlags.sequence
        if options.demandsMutual { asked |= ContextFlags.mutual }
        // Without the flag of plain delegation the library obeys the KDC's mark.
        if options.delegates { asked |= ContextFlags.delegationByPolicy }
        var (minor, done) = (UInt32(0), UInt32(0))
        // The context is being changed below, so the rest of this value cannot be read there.
        let (credential, service, bindings) = (credential, service, options.bindings)
        let step = try unsafe context.step(input) { handle, output in
            let major = unsafe withLibraryBuffer(input) { buffer in
                unsafe withChannelBindings(bindings) { bindings in
                    unsafe credential.withHandle { handleOfCredential in
                        unsafe service.name.withHandle { name in
                            unsafe credential.library.functions.init_context(
                                &minor,
                                handleOfCredential,
                                handle,
                                name,
                                sallyport_gss_kerberos(),
                                asked,
                                0,
                                bindings,
                                buffer,
                                nil,
                                output,
                                &done,
                                nil
                            )
                        }
                    }
                }
            }
            return Status(major: major, minor: minor)
        }
        flags = done
        if step.isComplete { try checkEnd() }
        return step
    }

    /// The library reports what was done, not what was asked for.
    private mutating func checkEnd() throws(KerberosError) {
        isMutual = flags & ContextFlags.mutual != 0
        hasDelegated = flags & ContextFlags.delegation != 0
        if options.demandsMutual, !isMutual { throw context.fail(.notMutual) }
        guard flags & ContextFlags.integrity != 0 else { throw context.fail(.badIntegrity) }
    }

    /// Makes the integrity code of a message (RFC 2743, 2.3.1), after the log-on is complete.
    public mutating func messageIntegrityCode(of message: Span<UInt8>) throws(KerberosError) -> [UInt8] {
        try context.messageIntegrityCode(of: message)
    }

    /// Checks the server's integrity code of a message, after the log-on is complete.
    public mutating func verify(_ code: Span<UInt8>, of message: Span<UInt8>) throws(KerberosError) {
        try context.verify(code, of: message)
    }
}
