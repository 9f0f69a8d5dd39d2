internal import Synchronization

/// Why a question goes away before a person has answered it, for the line that the person reads then.
///
/// Who asks binds one to ``current`` around the question. It sets the reason before it cancels the question's task.
package final class QuestionWithdrawal: Sendable {
    /// The one of the question that this task asks.
    @TaskLocal package static var current: QuestionWithdrawal?

    private let text = Mutex<String?>(nil)
    /// Gives the reason of a question that has none of its own, such as the end of the program that asks.
    private let outer: QuestionWithdrawal?

    package init(within outer: QuestionWithdrawal? = nil) { self.outer = outer }

    /// Sets the reason, such as "the store has a password now".
    package func explain(_ reason: String) { text.withLock { $0 = reason } }

    package var reason: String {
        text.withLock { $0 } ?? outer?.reason ?? "no request waits for it any more"
    }
}
