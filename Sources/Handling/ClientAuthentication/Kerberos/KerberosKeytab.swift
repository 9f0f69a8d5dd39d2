public import Negotiate
internal import Synchronization
public import SystemKerberos

/// Checks clients' tickets of Kerberos with the keys of a keytab, by the system's library (GSS-API).
///
/// Each check runs on a thread of its own worker, because the library writes its replay cache, a file. Keys that are added to the file
/// are used at once.
public final class KerberosKeytab: SystemMessageVerifier {
    private let library: KerberosLibrary
    private let path: String?
    private let principal: String?
    private let worker: KerberosWorker
    private let credential = Mutex<KerberosCredential?>(nil)

    /// Loads the library. The file is read at the first ticket.
    ///
    /// - Parameters:
    ///   - path: the keytab; `nil` for the one that `KRB5_KTNAME` or krb5.conf names.
    ///   - principal: the entry to use, such as `HTTP/wiki.acme.example@ACME.EXAMPLE`; `nil` for any.
    ///   - timeLimit: how long a check may take, waiting for a thread included.
    /// - Throws: why the library cannot be loaded, and what to install.
    public init(
        _ path: String? = nil,
        principal: String? = nil,
        timeLimit: Duration = .seconds(10)
    ) throws(KerberosLibraryError) {
        library = try KerberosLibrary.load()
        (self.path, self.principal) = (path, principal)
        worker = KerberosWorker(timeLimit: timeLimit)
    }

    /// Checks a client's first message.
    ///
    /// - Throws: `SystemRefusal` for a ticket that is wrong; `KerberosError` if the keytab cannot be read, or the check takes too long.
    public func acceptance(of claim: SystemClaim) async throws -> SystemAcceptance {
        let exchange = KerberosExchange(on: worker) { () throws(KerberosError) -> KerberosAcceptor in
            try KerberosAcceptor(
                credential: self.readKeytab(),
                options: .init(bindings: claim.channelBinding, demandsBindings: claim.demandsBinding)
            )
        }
        let step: KerberosStep
        do { step = try await exchange.step(claim.message) } catch let error as KerberosError {
            guard error.isOfPeer else { throw error }
            throw SystemRefusal("\(error)")
        }
        // HTTP has no place for a mechanism of three messages (RFC 4757 section 7.1, DCE style).
        guard step.isComplete else { throw SystemRefusal("the log-on takes more messages than HTTP allows") }
        let (client, isBound) = try exchange.withContext { (context) throws(KerberosError) in
            (context.client, context.bindings == .matched)
        }
        guard let client else { throw SystemRefusal("the ticket names no client") }
        return SystemAcceptance(
            client: client,
            message: step.token,
            isBoundToChannel: isBound,
            keys: Keys(exchange)
        )
    }

    /// The keys of the server; a file that could not be read is tried again.
    private func readKeytab() throws(KerberosError) -> KerberosCredential {
        if let known = credential.withLock({ $0 }) { return known }
        // Outside of the lock, because it reads files; two callers may do it at once.
        let made = try KerberosCredential(acceptingWith: path, principal: principal, library: library)
        credential.withLock { $0 = made }
        return made
    }

    private final class Keys: SystemKeys {
        private let exchange: KerberosExchange<KerberosAcceptor>

        init(_ exchange: KerberosExchange<KerberosAcceptor>) { self.exchange = exchange }

        deinit { exchange.end() }

        func integrityCode(over bytes: [UInt8]) throws -> [UInt8] {
            try exchange.withContext { (context) throws(KerberosError) in
                try context.messageIntegrityCode(of: bytes.span)
            }
        }

        func verify(integrityCode: [UInt8], over bytes: [UInt8]) throws {
            try exchange.withContext { (context) throws(KerberosError) in
                try context.verify(integrityCode.span, of: bytes.span)
            }
        }
    }
}

extension KerberosError {
    /// Whether the client's ticket is wrong, and not this server.
    fileprivate var isOfPeer: Bool {
        guard operation == .accept else { return false }
        return switch reason {
        case .timedOut, .overloaded, .stopped, .configuration, .cache, .keytab: false
        default: true
        }
    }
}
