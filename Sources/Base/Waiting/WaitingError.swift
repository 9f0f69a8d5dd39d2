/// Why a wait has ended without a turn, or without the result of a call.
package enum WaitingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Too many wait already.
    case tooMany
    /// The time limit has passed.
    case timedOut
    /// The system starts no more threads; its error number.
    case noThread(Int32)
    /// The threads were told to end.
    case stopped

    /// What is wrong and what to do, in one line.
    package var description: String {
        switch self {
        case .tooMany: "too many wait for a thread or a turn: ask less at once"
        case .timedOut: "the time limit has passed: raise it, or look for what does not answer"
        case .noThread(let code): "cannot start a thread (error \(code)): check the limits of this process"
        case .stopped: "the threads have ended: ask anew"
        }
    }
}
