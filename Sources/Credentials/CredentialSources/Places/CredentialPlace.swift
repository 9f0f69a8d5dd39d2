public import Credentials
public import Secrets
internal import WireFormat

/// Where a user name or a password lies.
public enum CredentialPlace: Sendable {
    /// In the program.
    case value(SharedSecret)
    /// The first line of a file, or an environment variable. A file that others may read is refused.
    case reference(SecretReference)
    /// The first line of a file below `$CREDENTIALS_DIRECTORY`, which systemd gives to a service (`LoadCredential=`).
    case systemdCredential(name: String)

    /// A text in the program.
    public static func text(_ text: String) -> CredentialPlace { .value(SharedSecret(utf8: text)) }

    /// The first line of the file at `path`.
    public static func file(_ path: String) -> CredentialPlace { .reference(.file(path: path)) }

    /// The value of an environment variable.
    public static func environment(_ variable: String) -> CredentialPlace {
        .reference(.environment(variable: variable))
    }

    /// Reads the value. It waits for the file system.
    ///
    /// - Throws: `SecretReferenceError` or ``CredentialPlaceError``.
    public func load() throws -> SharedSecret {
        switch self {
        case .value(let secret): return secret
        case .reference(let reference): return try reference.load(strict: true)
        case .systemdCredential(let name):
            do {
                let path = try SystemdCredential.path(of: name)
                let file = try SystemdCredential.open(path)
                guard var bytes = try file.read(atMost: SecretReference.maximumBytes + 2) else {
                    throw SecretReferenceError.tooLong(path: path)
                }
                return try SecretReference.secret(fromLine: &bytes, of: path)
            } catch let problem as SystemdCredential.Problem {
                let problem: CredentialPlaceError.Problem = problem == .noFolder ? .noFolder : .malformedName
                throw CredentialPlaceError(place: description, problem: problem)
            } catch let problem as PrivateFileProblem {
                throw CredentialPlaceError(place: description, problem: .init(problem))
            }
        }
    }
}

extension CredentialPlace: CustomStringConvertible, CustomReflectable {
    /// The place, without the value.
    public var description: String {
        switch self {
        case .value: "value of the program"
        case .reference(.file(let path)): path
        case .reference(.environment(let variable)): "environment variable \(variable)"
        case .systemdCredential(let name): "systemd credential '\(name)'"
        }
    }

    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Why a place gave no value: the place, the problem and the remedy.
public struct CredentialPlaceError: Error, Equatable, Sendable {
    /// The place in words, such as a path or the name of a variable.
    public let place: String
    /// What is wrong.
    public let problem: Problem

    /// Makes an error.
    public init(place: String, problem: Problem) {
        self.place = place
        self.problem = problem
    }

    /// What is wrong.
    public enum Problem: Error, Equatable, Sendable {
        /// A systemd credential is named by a path, and not by a file name.
        case malformedName
        /// systemd has given this process no credentials.
        case noFolder
        /// systemd has given this process no credential of the name.
        case missing
        /// Others may use the file; `mode` is its permissions.
        case othersMayUse(mode: UInt16)
        /// The file belongs neither to this user nor to root.
        case notOwned
        /// The user name is not UTF-8, or holds a control character.
        case notAUserName
        /// The system refused an operation; `code` is its error number.
        case system(operation: String, code: Int32)
    }
}

extension CredentialPlaceError.Problem {
    init(_ problem: PrivateFileProblem) {
        self =
            switch problem {
            case .missing: .missing
            case .othersMayUse(let mode), .othersMayUseRoots(let mode): .othersMayUse(mode: mode)
            case .notOwned: .notOwned
            case .system(let operation, let code): .system(operation: operation, code: code)
            }
    }
}

extension CredentialPlaceError: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch problem {
        case .malformedName: "\(place): the name is not a file name: give a name without '/'"
        case .noFolder:
            "\(place): CREDENTIALS_DIRECTORY is not set: start the program as a systemd service with LoadCredential="
        case .missing: "\(place): systemd has not given it: add LoadCredential= to the service"
        case .othersMayUse(let mode):
            "\(place): other users may use the file (mode \(String(mode, radix: 8))): let systemd make it"
        case .notOwned: "\(place): the file belongs to another user: let systemd make it"
        case .notAUserName: "\(place): the user name is not UTF-8 or holds a control character: correct it"
        case .system(let operation, let code):
            "\(place): cannot \(operation) (\(SystemReason.text(code))): check path and mode"
        }
    }
}
