public import Negotiate
internal import Synchronization
internal import SystemKerberos

/// Messages of Kerberos from the system's library (GSS-API), with tickets of the user's cache, of a password or of a keytab.
///
/// The library is loaded here, not linked. Where it is missing there is no message, an event says what to install, and an account that
/// has a password goes on with NTLM. No call blocks the caller's thread, and none waits longer than the time limit.
///
/// A ticket of a password or a keytab is got once and used until it ends. A password that the KDC refused is not sent to it again.
public final class KerberosMessages: SystemMessageSource {
    private struct Library: Sendable {
        let library: KerberosLibrary
        let credentials: KerberosCredentialCache
        let services: KerberosServiceCache
    }

    private let loaded: Result<Library, KerberosLibraryError>
    private let worker: KerberosWorker

    /// Loads the library.
    ///
    /// - Parameter timeLimit: how long a message may take, with all questions to the KDC.
    public init(timeLimit: Duration = .seconds(10)) {
        do throws(KerberosLibraryError) {
            let library = try KerberosLibrary.load()
            let credentials = KerberosCredentialCache(library: library)
            let services = KerberosServiceCache(library: library)
            loaded = .success(Library(library: library, credentials: credentials, services: services))
        } catch {
            loaded = .failure(error)
        }
        worker = KerberosWorker(timeLimit: timeLimit)
    }

    /// Why there are no messages: the library is missing; `nil` if it is there.
    public var obstacle: String? {
        if case .failure(let error) = loaded { return "\(error)" }
        return nil
    }

    /// Makes a first message. It asks the KDC for a ticket of the service if the cache has none.
    ///
    /// - Throws: `RefusedPassword` if the KDC refused the password; otherwise an error with a description of one line.
    public func message(for need: SystemMessageNeed) async throws -> SystemMessage {
        let loaded = try loaded.get()
        let source = try Self.source(of: need)
        let exchange = KerberosExchange(on: worker) { () throws(KerberosError) -> KerberosInitiator in
            let credential = try loaded.credentials.credential(for: source)
            let service = try loaded.services.service(host: need.host)
            return try KerberosInitiator(
                credential: credential,
                service: service,
                options: KerberosInitiator.Options(delegates: need.delegates, bindings: need.channelBinding)
            )
        }
        do {
            let first = try await exchange.step([])
            return SystemMessage(first.token, context: Context(exchange, isComplete: first.isComplete))
        } catch let error as KerberosError where error.reason == .wrongPassword && need.tickets != .cache {
            throw RefusedPassword("\(error)")
        }
    }

    private static func source(of need: SystemMessageNeed) throws -> KerberosCredentialSource {
        if need.tickets == .cache { return .defaultCache(principal: need.principal) }
        guard let principal = need.principal else { throw MissingRealm() }
        return switch need.tickets {
        case .cache: .defaultCache(principal: principal)
        case .password(let password): .password(password, principal: principal)
        case .keytab(let path): .keytab(path, principal: principal)
        }
    }

    private struct MissingRealm: Error, CustomStringConvertible {
        var description: String {
            "the account's domain is a NetBIOS name, and its realm is not known; write the user as user@REALM"
        }
    }

    /// A log-on after its first message: what is left computes and does not wait.
    private final class Context: SystemContext {
        private let exchange: KerberosExchange<KerberosInitiator>
        private let completion: Atomic<Bool>

        init(_ exchange: KerberosExchange<KerberosInitiator>, isComplete: Bool) {
            self.exchange = exchange
            completion = Atomic(isComplete)
        }

        deinit { exchange.end() }

        var isComplete: Bool { completion.load(ordering: .acquiring) }

        var isMutual: Bool {
            do throws(KerberosError) {
                return try exchange.withContext { (context) throws(KerberosError) in context.isMutual }
            } catch {
                return false
            }
        }

        func step(_ message: [UInt8]) throws -> [UInt8]? {
            let step = try exchange.withContext { (context) throws(KerberosError) in try context.step(message.span) }
            completion.store(step.isComplete, ordering: .releasing)
            return step.token.isEmpty ? nil : step.token
        }

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
