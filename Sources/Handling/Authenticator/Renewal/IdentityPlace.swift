public import ClientCertificates
internal import CredentialSources
public import CredentialStores
public import Credentials
internal import SPKIPins
public import Secrets
internal import Waiting
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// A client identity that something outside of this program renews.
public struct IdentityPlace: Sendable {
    /// Where an identity comes from.
    public enum Source: Sendable {
        /// Files, which are read again after a change. They must not be pipes, because a pipe cannot be read again.
        case files(IdentityFiles, passphrase: IdentityPassphrase?)
        /// A program and its arguments. It prints the chain and the key in PEM on its standard output, and runs again before the
        /// identity ends: the door for tools that enrol, such as those of step-ca.
        case command([String])
        /// The record of this name in a store, as ``StoredIdentity`` writes it. The store is asked again at each look.
        case stored(String, in: any CredentialStore)
    }

    /// The name of the identity in the profile, logs and events.
    public var name: String
    /// Where it comes from.
    public var source: Source
    /// Rules of the allowed-site language: the servers that may get it.
    public var sites: [String]

    /// How long a program may take, which may ask a server.
    static let commandLimit = Duration.seconds(60)

    /// Names a place.
    public init(name: String, source: Source, sites: [String]) {
        (self.name, self.source, self.sites) = (name, source, sites)
    }

    /// Names files.
    public init(name: String, files: IdentityFiles, passphrase: SecretReference? = nil, sites: [String]) {
        self.init(name: name, source: .files(files, passphrase: passphrase.map { .reference($0) }), sites: sites)
    }

    /// Reads the identity. Files and programs wait on a thread of their own; keys may be derived for a second.
    func read() async throws -> KeyedIdentity {
        switch source {
        case .files(let files, let passphrase):
            return try await OwnThread.run { [self] in
                for path in paths where (try? FileReading.kind(of: path)) == .other {
                    throw IdentityError(
                        place: path,
                        problem: .system(operation: "read it", code: ENODEV)
                    )
                }
                return try KeyedIdentity(name: name, reading: files, passphrase: try passphrase?.load())
            }
        case .command(let words): return try await printed(by: words)
        case .stored(let record, let store): return try await kept(as: record, in: store)
        }
    }

    /// The state of all files that it is read from.
    var stamps: [FileStamp?] { paths.map(FileStamp.init(at:)) }

    private var paths: [String] {
        guard case .files(let files, let passphrase) = source else { return [] }
        guard case .reference(.file(let path)) = passphrase else { return files.paths }
        return files.paths + [path]
    }

    private func printed(by words: [String]) async throws -> KeyedIdentity {
        let program = words.first ?? ""
        do {
            let text = try await ChildOutput.secret(
                program,
                [String](words.dropFirst()),
                mostBytes: IdentityLimits.fileBytes,
                limit: Self.commandLimit
            )
            return try text.withBytes { bytes throws(IdentityError.Problem) in
                try KeyedIdentity(name: name, parsing: bytes)
            }
        } catch let error as ChildOutputError {
            throw IdentityError(place: program, problem: .program(reason: "\(error)"))
        } catch let problem as IdentityError.Problem {
            throw IdentityError(place: program, problem: problem)
        }
    }

    private func kept(as record: String, in store: any CredentialStore) async throws -> KeyedIdentity {
        guard let query = StoredIdentity.query(for: record),
            let found = try await store.credentials(for: query, at: SystemClock.unixSeconds).first
        else { throw IdentityError(place: VisibleText.quoted(record), problem: .notInStore) }
        do throws(IdentityError.Problem) {
            let kept = try StoredIdentity.identity(of: found)
            return try KeyedIdentity(name: name, certificates: kept.identity.certificateChain, key: kept.key)
        } catch {
            throw IdentityError(place: VisibleText.quoted(record), problem: error)
        }
    }
}

/// The passphrase of an identity's files.
public enum IdentityPassphrase: Sendable {
    /// Where it lies; it is read again with the files.
    case reference(SecretReference)
    /// One that a person has typed.
    case text(SharedSecret)

    func load() throws(SecretReferenceError) -> SharedSecret {
        switch self {
        case .reference(let reference): try reference.load(strict: true)
        case .text(let secret): secret
        }
    }
}
