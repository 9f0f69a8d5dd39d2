internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A file with a credential that systemd gave to a service (systemd.exec(5), "Credentials").
package enum SystemdCredential {
    /// The environment variable with the folder of a service's credentials.
    package static let variable = "CREDENTIALS_DIRECTORY"

    /// Why a name leads to no file.
    package enum Problem: Error, Equatable, Sendable {
        /// A credential is named by a path, and not by a file name.
        case malformedName
        /// systemd has given this process no credentials.
        case noFolder
    }

    /// The path of the credential `name`.
    package static func path(of name: String) throws(Problem) -> String {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
            throw .malformedName
        }
        guard let folder = unsafe getenv(variable), unsafe folder.pointee != 0 else { throw .noFolder }
        return "\(unsafe SystemPath.text(endingWithZero: folder))/\(name)"
    }

    /// Opens the file at a path of ``path(of:)``; others of the machine may not read it.
    package static func open(_ path: String) throws(PrivateFileProblem) -> PrivateFile {
        try PrivateFile(path, .systemdCredential)
    }
}
