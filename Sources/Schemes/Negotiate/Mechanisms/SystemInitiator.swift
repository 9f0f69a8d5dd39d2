internal import WireFormat

/// A mechanism of the system's library, Kerberos, whose first token has been made.
package struct SystemInitiator: InitiatorMechanism {
    private let message: SystemMessage

    package init(_ message: SystemMessage) { self.message = message }

    private var context: any SystemContext { message.context }
    package var mechanism: Mechanism { .kerberos }
    package var isComplete: Bool { context.isComplete }
    package var isServerProven: Bool { context.isComplete && context.isMutual }
    /// A ticket is not a password: the directory has checked the password before, at the log-on.
    package var hasSentPassword: Bool { false }

    package mutating func start() -> [UInt8] { message.bytes }

    package mutating func step(
        _ token: Span<UInt8>,
        _ input: MechanismInput
    ) throws(MechanismFailure) -> [UInt8]? {
        do { return try context.step([UInt8](copying: token)) } catch {
            throw .negotiation(.mechanismFailed(.kerberos))
        }
    }

    package mutating func integrityCode(over bytes: [UInt8]) -> [UInt8]? {
        try? context.integrityCode(over: bytes)
    }

    package mutating func accepts(integrityCode: Span<UInt8>, over bytes: [UInt8]) -> Bool {
        do { try context.verify(integrityCode: [UInt8](copying: integrityCode), over: bytes) } catch { return false }
        return true
    }
}
