internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

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
    /// The file may be used by other users of the machine.
    case readableByOthers(path: String)
    /// The file belongs to root, and its group may write it, or other users may use it.
    case rootsFileOpenToOthers(path: String, mode: UInt16)
    /// The file belongs to another user.
    case notOwned(path: String)
    /// The file is longer than ``SecretReference/maximumBytes``.
    case tooLong(path: String)
    /// The file has a second line.
    case moreThanOneLine(path: String)
    /// The file is not UTF-8. `problem` names its form and the remedy.
    case otherForm(path: String, problem: String)
    /// The environment variable is not set.
    case notSet(variable: String)
}

extension SecretReferenceError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .unreadable(let path, ETIMEDOUT):
            "'\(path)' is a pipe whose writer did not end within \(PrivateFile.pipeTime.components.seconds) s: check the writer"
        case .unreadable(let path, let code):
            "cannot read the secret in '\(path)' (\(SystemReason.text(code))): check path and mode"
        case .empty(.file(let path)): "the secret in '\(path)' is empty: write it on the first line"
        case .empty(.environment(let variable)): "the environment variable \(variable) is empty: set it to the secret"
        case .readableByOthers(let path): "other users may use the secret in '\(path)': run chmod 600 on it"
        case .rootsFileOpenToOthers(let path, let mode): "\(path): \(PrivateFileProblem.othersMayUseRoots(mode: mode))"
        case .notOwned(let path): "\(path): \(PrivateFileProblem.notOwned)"
        case .tooLong(let path): "'\(path)' is longer than \(SecretReference.maximumBytes) bytes: name the right file"
        case .moreThanOneLine(let path): "'\(path)' has more than one line: write the secret on the first line only"
        case .otherForm(let path, let problem): "'\(path)': \(problem)"
        case .notSet(let variable): "the environment variable \(variable) is not set: set it to the secret"
        }
    }
}
