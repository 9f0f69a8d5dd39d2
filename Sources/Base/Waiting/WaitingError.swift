/// Why a wait has ended without a turn, or without the result of a call.
package enum WaitingError: Error, Equatable, Sendable {
    /// Too many wait already.
    case tooMany
    /// The time limit has passed.
    case timedOut
    /// The system starts no more threads; its error number.
    case noThread(Int32)
    /// The threads were told to end.
    case stopped
}
