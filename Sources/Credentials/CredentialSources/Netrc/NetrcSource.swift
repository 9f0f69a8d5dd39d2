internal import Credentials
internal import Hostnames
internal import Synchronization
internal import Waiting
internal import WireFormat

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Answers for servers from a netrc file, which is read for each question. A pipe is read for the first one, and kept in memory.
///
/// A proxy gets no answer, because the file cannot say that an entry is for a proxy. After a refusal the source has nothing.
public struct NetrcSource: CredentialSource {
    /// The path of the file; `nil` for `.netrc` in the folder of `$HOME`.
    private let path: String?
    private let keep: SuppliedCredential.Keeping
    private let pipe = Pipe()

    /// What was read from a pipe, which cannot be read again.
    private final class Pipe: Sendable {
        private let file = Mutex<NetrcFile?>(nil)

        /// The entries of the file, or those of the pipe. Of two questions at once, the second one waits for the first.
        func entries(of path: String) throws(NetrcError) -> NetrcFile {
            try file.withLock { file throws(NetrcError) in
                if let file { return file }
                var isPipe = false
                let read = try NetrcFile(reading: path, &isPipe)
                if isPipe { file = read }
                return read
            }
        }
    }

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - path: the file; `nil` for `.netrc` in the folder of `$HOME`, which may be missing.
    ///   - keep: how long its replies may be kept.
    public init(path: String? = nil, keep: SuppliedCredential.Keeping = .session) {
        self.path = path
        self.keep = keep
    }

    /// The entry for the host of the question.
    ///
    /// - Throws: ``NetrcError``.
    public func reply(to question: CredentialQuestion) async throws -> CredentialReply {
        guard question.party == .server, !question.wasRefused else { return .nothing }
        return try await OwnThread.run { _ in try answer(question) }
    }

    private func answer(_ question: CredentialQuestion) throws(NetrcError) -> CredentialReply {
        guard let place = path ?? Self.defaultPath else { return .nothing }
        let file: NetrcFile
        do throws(NetrcError) {
            file = try pipe.entries(of: place)
        } catch {
            if error.problem == .missing, path == nil { return .nothing }
            throw error
        }
        guard let entry = file.entry(for: question.origin.host, user: question.user),
            let login = entry.login ?? question.user, let password = entry.password
        else { return .nothing }
        return .use(SuppliedCredential(login: login, password: password, keep: keep))
    }

    private static var defaultPath: String? {
        guard let home = unsafe getenv("HOME"), unsafe home.pointee != 0 else { return nil }
        return "\(unsafe SystemPath.text(endingWithZero: home))/.netrc"
    }
}
