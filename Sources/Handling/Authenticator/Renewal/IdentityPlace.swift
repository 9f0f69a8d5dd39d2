internal import ChallengeHandling
public import ClientCertificates
public import Credentials
internal import SPKIPins
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A client identity in files that something outside of this program renews. They must not be pipes, because a pipe cannot be read again.
public struct IdentityPlace: Sendable {
    /// The name of the identity in the profile, logs and events.
    public var name: String
    /// Where it lies.
    public var files: IdentityFiles
    /// Where the passphrase of the files lies; `nil` if they have none.
    public var passphrase: SecretReference?
    /// Rules of the allowed-site language: the servers that may get it.
    public var sites: [String]

    /// Names a place.
    public init(name: String, files: IdentityFiles, passphrase: SecretReference? = nil, sites: [String]) {
        self.name = name
        self.files = files
        self.passphrase = passphrase
        self.sites = sites
    }

    /// Reads the identity. It waits for the file system, and may derive keys for a second.
    func read() throws -> KeyedIdentity {
        for path in paths where (try? FileReading.kind(of: path)) == .other {
            throw IdentityError(place: path, problem: .system(operation: "watch what is no regular file", code: ENODEV))
        }
        return try KeyedIdentity(name: name, reading: files, passphrase: try passphrase?.load(strict: true))
    }

    /// The state of all files that it is read from.
    var stamps: [FileStamp?] { paths.map(FileStamp.init(at:)) }

    private var paths: [String] {
        guard case .file(let path) = passphrase else { return files.paths }
        return files.paths + [path]
    }
}

/// How often an ``IdentityWatch`` looks, and when it warns.
public struct IdentityWatchOptions: Sendable {
    /// How often the files and the times are looked at.
    public var interval: Duration
    /// How long before its end an identity is reported, once for each.
    public var margins: [Duration]

    /// Every 30 seconds; 30 days, 7 days and 1 day before the end.
    public init(
        interval: Duration = .seconds(30),
        margins: [Duration] = [.seconds(30 * 86_400), .seconds(7 * 86_400), .seconds(86_400)]
    ) {
        self.interval = interval
        self.margins = margins
    }
}

/// What an ``IdentityWatch`` has seen.
public enum IdentityEvent: Equatable, Sendable {
    /// Other files were read, and their identity is in use; the last second in which it is valid.
    case renewed(identity: String, notAfter: Int64)
    /// Changed files cannot be used. The identity of before stays in use.
    case unreadable(identity: String, reason: String)
    /// The identity ends within a margin; the last second in which it is valid.
    case expiresSoon(identity: String, notAfter: Int64)
    /// The identity has expired, and is not presented any more.
    case expired(identity: String, notAfter: Int64)
}

extension IdentityEvent: CustomStringConvertible {
    /// One line: the identity, what has happened, and what to do.
    public var description: String {
        switch self {
        case .renewed(let name, let end): "identity '\(name)': renewed, valid until \(Timestamp.text(unixSeconds: end))"
        case .unreadable(let name, let reason): "identity '\(name)': the new files are not used: \(reason)"
        case .expiresSoon(let name, let end):
            "identity '\(name)': expires on \(Timestamp.text(unixSeconds: end)): renew it"
        case .expired(let name, let end):
            "identity '\(name)': expired on \(Timestamp.text(unixSeconds: end)), and is not presented any more: renew it"
        }
    }
}
