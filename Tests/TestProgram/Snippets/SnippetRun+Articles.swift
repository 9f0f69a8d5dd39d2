import Foundation
import Logging
import NIOCore
import NIOHTTP1
import Sallyport
import SallyportClient
import SallyportNIO
import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension SnippetRun {
    /// The snippets of the facade's articles and of those about porting. Returns `nil` for another name.
    func articles(_ snippet: String) async throws -> String? {
        switch snippet {
        case "asking":
            let store = MemoryCredentialStore()
            let name = CredentialName(space: .origin(origin), user: user)
            try await store.save(StoredCredential(name: name, secret: password, created: 0))
            let empty = try ChallengeHandler(profile: profile(accounts: false))
            let (response, report) = try await AskingSnippet.response(url, empty, store)
            return "\(response.status.code), \(report.storedCredentials) record left the store"
        case "at-the-terminal":
            let current = CurrentHandler(try ChallengeHandler(profile: profile()))
            return try await status(AuthenticatedClient(AskingSnippet.atTheTerminal(current)))
        case "trusting":
            let current = CurrentHandler(try ChallengeHandler(profile: profile()))
            let authenticator = try AskingSnippet.trusting(current, inOneWeek: .max) { server in
                print("asked about \(server)")
                return true
            }
            return try await status(AuthenticatedClient(authenticator))
        case "presenting":
            let current = CurrentHandler(try ChallengeHandler(profile: profile()))
            let client = try UsingClientCertificatesSnippet.presenting(current, password, site: "\(origin)")
            return try await verified(client)
        case "choosing":
            let current = CurrentHandler(try ChallengeHandler(profile: profile()))
            let authenticator = try UsingClientCertificatesSnippet.choosing(current) { candidates in
                print(candidates.map(\.subject).joined(separator: ", "))
                return "second"
            }
            let identities = try ["first", "second"].map { name in
                let identity = try KeyedIdentity(name: name, reading: .one("\(name).p12"), passphrase: password)
                return SecurityProfile.Assignment(identity, sites: ["\(origin)"])
            }
            let tls = try TLSConnector(current, identities: identities)
            return try await verified(AuthenticatedClient(authenticator, tls: tls))
        case "renewing":
            let current = CurrentHandler(try ChallengeHandler(profile: profile()))
            let (client, renewals) = try await UsingClientCertificatesSnippet.renewing(current, site: "\(origin)")
            defer { renewals.cancel() }
            return try await verified(client)
        case "events":
            let stream = EventStream()
            var logger = Logger(label: "test")
            logger.handler = LinesOfLog()
            let handler = try EventsSnippet.observing(profile(), stream, logger)
            let status = try await status(AuthenticatedClient(CurrentHandler(handler)))
            stream.finish()
            try Data().write(to: URL(filePath: "transcript.ndjson"))
            let file = try FileHandle(forWritingTo: URL(filePath: "transcript.ndjson"))
            try await EventsSnippet.writing(stream, to: file)
            return status
        case "client-identities": return try ClientCertificatesSnippet.laptop().identity.name
        case "credential-sources":
            guard let account = try await CredentialSourcesSnippet.account() else { return "nothing" }
            return account.user
        case "aw-controller":
            let wrong = Account(name: "account", user: user, password: SharedSecret(utf8: "Wrong"))
            var changed = try profile()
            changed.accounts = [.init(wrong, sites: ["\(origin)"])]
            let outdated = try ChallengeHandler(profile: changed)
            let (_, response) = try await PortedSnippets.page(parsed(), outdated) { names in
                print("asked for \(names.user)")
                return password
            }
            return status(response)
        case "repository-delegate":
            let source = AuthenticationSource { _ in
                throw CancellationError()
            } identities: {
                []
            }
            let handler = CurrentHandler(try ChallengeHandler(profile: profile()))
            let controller = AuthenticationController(handler, account: "account", source: source)
            let (other, own) = (more[1], try String(contentsOfFile: more[2], encoding: .utf8))
            let delegate = RepositoryDelegate(controller) { space in
                print("asked at \(space.host)")
                return URLCredential(user: other, password: own, persistence: .none)
            }
            let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            print(try await status(session.data(from: parsed()).1))
            return try await status(session.data(from: parsed(more[0])).1)
        default: return nil
        }
    }

    private func status(_ client: AuthenticatedClient) async throws -> String {
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
        return "\(response.status.code)"
    }

    /// The status, and what nginx says of the client's certificate.
    private func verified(_ client: AuthenticatedClient) async throws -> String {
        let response = try await client.execute(ClientRequest(url: url), deadline: .now() + .hours(1))
        let words = String(buffer: try await response.body.collect(upTo: 4_096)).split(separator: " ")
        return ([Substring("\(response.status.code)")] + words.prefix(2)).joined(separator: " ")
    }
}

/// Prints the messages of a logger.
private struct LinesOfLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { print("\(event.level): \(event.message)") }
}
