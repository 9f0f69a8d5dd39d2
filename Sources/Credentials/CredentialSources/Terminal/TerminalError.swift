internal import WireFormat

/// Why a person was not asked, or gave no answer that can be used.
public enum TerminalError: Error, Equatable, Sendable {
    /// The process has no terminal, and the question needs a person: what the question is, and what answers it instead.
    case noTerminal(question: String, remedy: String)
    /// The process runs in the background of its terminal.
    case inBackground
    /// The answer has more than ``TerminalPrompt/answerBytes``.
    case tooLong
    /// The answer is not UTF-8.
    case notUTF8
    /// The user name holds a control character.
    case controlCharacter
    /// Nothing was typed within the time limit.
    case timedOut
    /// The terminal was closed.
    case closed
    /// The system refused an operation; `code` is its error number.
    case system(operation: String, code: Int32)
}

extension TerminalError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .noTerminal(let question, let remedy):
            "\(question): there is no terminal to ask at: run the program at one, or \(remedy)"
        case .inBackground: "terminal: the program runs in the background: bring it to the foreground with fg"
        case .tooLong: "terminal: the answer has more than \(TerminalPrompt.answerBytes) bytes: shorten it"
        case .notUTF8: "terminal: the answer is not UTF-8: set the terminal to UTF-8"
        case .controlCharacter: "terminal: the user name holds a control character: type it again"
        case .timedOut: "terminal: no answer came in time: run the program again"
        case .closed: "terminal: it was closed: run the program on another one"
        case .system(let operation, let code):
            "terminal: cannot \(operation) (\(SystemReason.text(code))): check the terminal's mode"
        }
    }
}
