internal import WireFormat

/// Where a secret lies, so that a profile can name it without holding it.
public enum SecretReference: Hashable, Sendable {
    /// The first line of a file; the path may be relative to the profile.
    case file(path: String)
    /// The value of an environment variable.
    case environment(variable: String)
}

/// Why a secret could not be read.
public enum SecretReferenceError: Error, Equatable, Sendable {
    /// The file cannot be opened or read; `code` is the system's error number.
    case unreadable(path: String, code: Int32)
    /// The file or variable is empty.
    case empty(SecretReference)
    /// The file may be read by other users of the machine.
    case readableByOthers(path: String)
    /// The file is longer than ``SecretReference/maximumBytes``.
    case tooLong(path: String)
    /// The file has a second line.
    case moreThanOneLine(path: String)
    /// The environment variable is not set.
    case notSet(variable: String)
}

extension SecretReferenceError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .unreadable(let path, let code):
            "cannot read the secret in '\(path)' (\(SystemReason.text(code))): check path and mode"
        case .empty(.file(let path)): "the secret in '\(path)' is empty: write it on the first line"
        case .empty(.environment(let variable)): "the environment variable \(variable) is empty: set it to the secret"
        case .readableByOthers(let path): "other users may read the secret in '\(path)': run chmod 600 on it"
        case .tooLong(let path): "'\(path)' is longer than \(SecretReference.maximumBytes) bytes: name the right file"
        case .moreThanOneLine(let path): "'\(path)' has more than one line: write the secret on the first line only"
        case .notSet(let variable): "the environment variable \(variable) is not set: set it to the secret"
        }
    }
}
