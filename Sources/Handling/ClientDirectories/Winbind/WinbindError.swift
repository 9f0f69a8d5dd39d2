internal import CredentialSources
internal import WireFormat

/// Why a domain's controllers gave no answer.
public enum WinbindError: Error, Equatable {
    /// `ntlm_auth` did not start; the error number of the system.
    case notStarted(program: String, code: Int32)
    /// `ntlm_auth` ended, or said something else than yes or no.
    case noAnswer(program: String)
    /// The answer did not come in time.
    case timedOut
    /// winbind reports that no controller has judged the answer.
    case controller(String)
    /// winbind gives no key of the session, without which the client's code cannot be checked.
    case noSessionKey

    init(_ failure: ChildDialogue.Failure, of program: String) {
        self =
            switch failure {
            case .notStarted(let code): .notStarted(program: program, code: code)
            case .timedOut: .timedOut
            case .tooLong, .ended, .system: .noAnswer(program: program)
            }
    }
}

extension WinbindError: CustomStringConvertible {
    /// One line: what is wrong, and what to do.
    public var description: String {
        switch self {
        case .notStarted(let program, let code):
            "\(VisibleText.name(program)) did not start (error \(code)): install winbind, or correct the path"
        case .noAnswer(let program):
            "\(VisibleText.name(program)) gave no answer: try it by hand with --helper-protocol=ntlm-server-1"
        case .timedOut: "winbind gave no answer in time: look at 'wbinfo --ping-dc'"
        case .controller(let reason): "winbind: \(reason)"
        case .noSessionKey: "winbind gave no session key: give this user the group winbindd_priv"
        }
    }
}
