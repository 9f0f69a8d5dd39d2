internal import WireFormat

extension SystemError: CustomStringConvertible {
    /// The operation and the system's reason.
    var description: String { "cannot \(operation) (\(SystemReason.text(code))): check the limits of this process" }
}
