internal import Hostnames
internal import OfflineVerbs
internal import ProfileFiles
internal import SPKIPins
internal import Sallyport
internal import WireFormat

/// What a request does about a server that no authority vouches for: it is refused, and with `--ask-trust` a person is asked. What the
/// person trusts is remembered in a file beside the store, which counts only with this option.
struct TrustQuestions: Sendable {
    /// The name of the file in the folder of the store.
    static let fileName = "trusted-keys.yaml"

    private let verb: String
    private let asks: Bool
    /// `nil` if an answer is for this run alone.
    private let file: TrustedKeyFile?

    init(_ options: RequestArguments, verb: String) {
        self.verb = verb
        asks = options.request.askTrust
        let store = options.account.noStore ? nil : try? options.store.path()
        file = store.map { TrustedKeyFile(path: Self.folder(of: $0) + Self.fileName) }
    }

    /// The folder of a path, with a slash at its end; empty for the current folder.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// Puts the keys that were trusted before into the rules in use.
    ///
    /// - Throws: `ProfileFileError` if the file cannot be used.
    func install(in current: CurrentHandler, at now: Int64) throws {
        guard asks, let file else { return }
        let keys = try file.read(at: now)
        if !keys.isEmpty { try current.update(at: now) { $0.trustedKeys += keys } }
    }

    /// What becomes of a server that is not trusted. `tell` learns of it.
    func reply(
        to server: UntrustedServer,
        _ tell: @Sendable (UntrustedServer, ServerTrustReply) -> Void
    ) async throws -> ServerTrustReply {
        do {
            let reply = try await reply(to: server)
            tell(server, reply)
            return reply
        } catch {
            tell(server, .cancel)
            throw error
        }
    }

    private func reply(to server: UntrustedServer) async throws -> ServerTrustReply {
        guard asks else { return .reject }
        let reply = try await TerminalTrustPrompt().reply(to: server)
        if case .trust(let until) = reply {
            remember(TrustedKey(host: server.origin.host, pin: server.pin, until: until))
        }
        return reply
    }

    /// Writes the key to the file. Without it the key is trusted all the same, until the command ends.
    private func remember(_ key: TrustedKey) {
        guard let file else { return }
        // An error of the folder is that of the file, too.
        _ = StorePlace.makeFolder(ofStoreAt: file.path)
        do throws(ProfileFileError) {
            try file.add(key, at: SystemClock.unixSeconds)
        } catch {
            StandardError.complain(verb, "\(error); the key of \(key.host) is trusted for this run alone")
        }
    }
}
