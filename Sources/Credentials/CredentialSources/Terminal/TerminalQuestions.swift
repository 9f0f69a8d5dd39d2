internal import Synchronization

/// Tells the part of the program that writes to the terminal when a question stands there, so that no other text runs into it.
package enum TerminalQuestions {
    private static let observer = Mutex<(@Sendable (_ isOpen: Bool) -> Void)?>(nil)

    /// Calls `body` before a question is shown, with true, and after its end, with false; on the thread of the question. It replaces an
    /// earlier one.
    package static func observe(_ body: @escaping @Sendable (_ isOpen: Bool) -> Void) {
        observer.withLock { $0 = body }
    }

    static func changed(isOpen: Bool) { observer.withLock { $0 }?(isOpen) }
}
