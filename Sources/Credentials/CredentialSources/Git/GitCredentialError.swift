internal import WireFormat

/// Why a credential did not pass between Git and this program. It holds no secret.
public struct GitCredentialError: Error, Equatable, Sendable {
    /// The program, or ``request`` for what Git sent to this program.
    public let place: String
    /// What is wrong.
    public let problem: Problem

    /// Makes an error.
    public init(place: String, problem: Problem) {
        self.place = place
        self.problem = problem
    }

    /// The place of errors of a request of Git.
    public static let request = "request of git"

    /// A part of a message.
    public enum Field: String, Hashable, Sendable {
        /// `http` or `https`.
        case scheme = "protocol"
        /// The host, with its port.
        case host
        /// The path without its first slash.
        case path
        /// The user name.
        case user = "username"
        /// The password.
        case password
        /// The refresh token.
        case refreshToken = "oauth_refresh_token"
    }

    /// What is wrong.
    public enum Problem: Error, Equatable, Sendable {
        /// A value holds a NUL, a line feed or a carriage return, so that a reader would see another line (CVE-2020-5260).
        case lineBreak(Field)
        /// A line holds a NUL or a carriage return.
        case controlCharacter(line: Int)
        /// A line without an equals sign.
        case malformedLine(Int)
        /// A line repeats a key that has one value.
        case repeatedKey(line: Int)
        /// A line is not UTF-8.
        case notUTF8(line: Int)
        /// The time in a line is not a number.
        case malformedTime(line: Int)
        /// The message has more than ``GitCredentialLimits/messageBytes``.
        case tooLong
        /// The program answered for another protocol or host than was asked.
        case otherHost
        /// The program answered for another user than was asked.
        case otherUser
        /// The program or an argument holds a NUL.
        case malformedCommand
        /// The program was not started; `code` is the system's error number.
        case notStarted(code: Int32)
        /// The program ended with a status other than 0; `nil` if a signal ended it.
        case failed(status: Int32?)
        /// This process ignores SIGCHLD, so the system forgets how the program ended.
        case noStatus
        /// The program took longer than the time limit, and was killed.
        case timedOut
        /// The system refused an operation; `code` is its error number.
        case system(operation: String, code: Int32)
    }
}

/// The bounds of messages.
public enum GitCredentialLimits {
    /// The most bytes of one message.
    public static let messageBytes = 65_536
    /// The most replies that a ``GitCredentialHelper`` remembers, to take them back after a refusal.
    public static let rememberedReplies = 64
}

extension GitCredentialError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String { "\(place): \(problem)" }
}

extension GitCredentialError.Problem: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .lineBreak(let field):
            "the \(field.rawValue) holds a line break or a zero: use another one, because git cannot be told"
        case .controlCharacter(let line): "line \(line) holds a carriage return or a zero: repair the program"
        case .malformedLine(let line): "line \(line) is not KEY=VALUE: repair the program"
        case .repeatedKey(let line): "line \(line) repeats a key: repair the program"
        case .notUTF8(let line): "line \(line) is not UTF-8: store the credential in UTF-8"
        case .malformedTime(let line): "line \(line) holds a time that is no number: repair the program"
        case .tooLong: "the message has more than \(GitCredentialLimits.messageBytes) bytes: repair the program"
        case .otherHost: "the answer is for another protocol or host: check the helper's configuration"
        case .otherUser: "the answer is for another user: name the user that the helper knows"
        case .malformedCommand: "the program or an argument holds a zero: remove it"
        case .notStarted(let code): "cannot start the program (\(SystemReason.text(code))): check its path and mode"
        case .failed(let status?): "the program ended with status \(status): run it by hand to see why"
        case .failed(nil): "a signal ended the program: run it by hand to see why"
        case .noStatus: "its status is unknown because this process ignores SIGCHLD: do not ignore it"
        case .timedOut: "the program took too long and was ended: run it by hand, or raise the time limit"
        case .system(let operation, let code):
            "cannot \(operation) (\(SystemReason.text(code))): check the limits of this process"
        }
    }
}
