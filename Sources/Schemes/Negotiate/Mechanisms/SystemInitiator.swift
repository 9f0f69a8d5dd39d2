internal import WireFormat

/// The client's side of a mechanism of the system's library, Kerberos, whose first token has been made.
package struct SystemInitiator: Sendable {
    private let message: SystemMessage

    package init(_ message: SystemMessage) { self.message = message }

    private var context: any SystemContext { message.context }
    /// Whether no further token is due.
    var isComplete: Bool { context.isComplete }
    /// Whether the server has proven itself.
    var isServerProven: Bool { context.isComplete && context.isMutual }

    /// The first token.
    func start() -> [UInt8] { message.bytes }

    /// Takes the server's token. Returns the next one; `nil` if none is due.
    func step(_ token: Span<UInt8>) throws(MechanismFailure) -> [UInt8]? {
        do { return try context.step([UInt8](copying: token)) } catch {
            throw .negotiation(.mechanismFailed(.kerberos))
        }
    }

    /// The code over `bytes`; `nil` if the mechanism has no key for it.
    func integrityCode(over bytes: [UInt8]) -> [UInt8]? { try? context.integrityCode(over: bytes) }

    /// Whether the server's code over `bytes` is right.
    func accepts(integrityCode: Span<UInt8>, over bytes: [UInt8]) -> Bool {
        do { try context.verify(integrityCode: [UInt8](copying: integrityCode), over: bytes) } catch { return false }
        return true
    }
}
