import CredentialStores
import Foundation
import LiveServers
import NIOCore
import OAuth
import Sallyport
import SallyportClient
import TestSupport
import Testing

/// A program that refreshes a rotating token, and is killed between the service's answer and the store.
///
/// `SALLYPORT_REFRESH_KILLS` sets how often: 1,000 in `.ci/slow`.
@Suite(.inTurn, .serialized, .needs(.authlib))
struct KilledRefreshTests {
    private static let kills = Effort.count("SALLYPORT_REFRESH_KILLS", usual: 20)
    private let folder: TemporaryFolder
    private let key: StoreKey

    init() throws {
        folder = try TemporaryFolder("refresh")
        try StoreKey.makeKeyFile(at: folder.path("key"))
        key = .keyFile(path: folder.path("key"))
    }

    private func source(_ server: RotatingServer, _ store: any CredentialStore) throws -> OAuthTokenSource {
        let service = try TokenService.patient(tls: nil)
        return OAuthTokenSource(
            "device",
            client: OAuthClient(id: "device", tokenEndpoint: try ServiceURL(server.url + "/token")),
            grant: .refreshToken,
            store: store
        ) { try await service.send($0) }
    }

    private func signedIn(_ server: RotatingServer) async throws -> SealedFileStore {
        let store = try await SealedFileStore.create(at: folder.path("store"), key: key, now: 0)
        let refresh = SharedSecret(utf8: try await server.control("sign-in"))
        let access = AccessToken(SharedSecret(utf8: "first"), expiry: 0)
        try await source(server, store).signedIn(TokenGrant(access: access, refresh: refresh))
        return store
    }

    /// When the program is killed.
    private enum Moment {
        /// So long after a token.
        case microseconds(UInt32)
        /// After the service's answer to the next request, and before the store.
        case answered
    }

    /// Starts the program, kills it some time after its `tokens`-th token, and returns whether it was alive until then.
    private func isKilled(_ server: RotatingServer, after tokens: Int, _ moment: Moment) throws -> Bool {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: BuiltProgram.forTests)
        process.arguments = ["refresh", server.url, folder.path("store"), folder.path("key")]
        if case .answered = moment { process.arguments?.append("\(tokens)") }
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try output.fileHandleForWriting.close()
        var text = ""
        // The line that says that it has begun, one a token, and one that says where it has stopped.
        var awaited = ["begun"] + [String](repeating: "token", count: tokens)
        if case .answered = moment { awaited.append("answered") }
        while text.count(where: { $0 == "\n" }) < awaited.count {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            text += String(decoding: part, as: UTF8.self)
        }
        if case .microseconds(let microseconds) = moment { usleep(microseconds) }
        let wasAlive = process.isRunning
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return wasAlive && text.split(separator: "\n").starts(with: awaited.map { $0[...] })
    }

    @Test("Where a token is good until its successor is used, nothing is lost") func untilUsed() async throws {
        let server = try RotatingServer(rule: "until-used")
        _ = try await signedIn(server)
        var generator = SeededGenerator(seed: 24)
        var between = 0
        for round in 0..<Self.kills {
            let moment =
                round.isMultiple(of: 2) ? .answered : Moment.microseconds(.random(in: 0..<12_000, using: &generator))
            if case .answered = moment { between += 1 }
            try #require(try isKilled(server, after: round % 3, moment), "round \(round)")
        }
        let store = try await SealedFileStore.open(at: folder.path("store"), key: key)
        let question = TokenQuestion(origin: try ServiceURL(server.url).origin)
        #expect(try await source(server, store).token(for: question) != nil)
        let counts = try await server.counts()
        #expect(counts.refused == 0)
        // A kill that fell between answer and store made the next program use the token before it, and nothing else does.
        print("\(Self.kills) kills, \(counts.grants) grants, \(counts.again) of them for a token that had a successor")
        #expect((between...Self.kills).contains(counts.again))
        // Each program had its tokens, and those that stopped one more answer.
        let tokens = (0..<Self.kills).reduce(0) { $0 + $1 % 3 }
        #expect(counts.grants >= tokens + between + 1)
    }

    @Test("Where a token is good once, a kill in between ends the sign-in, and the error says so") func once()
        async throws
    {
        let server = try RotatingServer(rule: "once")
        let store = try await signedIn(server)
        // The service's answer never reaches the store.
        #expect(try isKilled(server, after: 1, .answered))
        let question = TokenQuestion(origin: try ServiceURL(server.url).origin)
        let next = try source(server, store)
        await #expect(throws: TokenServiceError.self) { try await next.token(for: question) }
        // It is not tried again: the user is asked.
        await #expect(throws: OAuthTokenError.notSignedIn("device")) { try await next.token(for: question) }
        #expect(try await server.counts().refused == 1)
        #expect(try await store.list().isEmpty)
    }
}

/// The service of `oauth-rotating`.
private final class RotatingServer {
    let url: String
    private let process: HelperProcess

    init(rule: String) throws {
        let port = try ServerPort.take()
        url = "http://127.0.0.1:\(port)"
        process = try HelperProcess(server: "oauth-rotating", ["\(port)", rule])
    }

    func control(_ page: String) async throws -> String {
        let nothing = SecurityProfile(sites: try SiteList(parsing: "", name: "none"), schemes: [.basic])
        let client = AuthenticatedClient(
            CurrentHandler(try ChallengeHandler(profile: nothing, at: 0)),
            settings: .patient
        )
        defer { client.shutDown() }
        let response = try await client.execute(ClientRequest(url: "\(url)/control/\(page)"))
        return String(buffer: try await response.body.collect(upTo: 1_000))
    }

    func counts() async throws -> (grants: Int, again: Int, refused: Int) {
        let numbers = try await control("counts").split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { throw PeerFailure(what: "no counts") }
        return (numbers[0], numbers[1], numbers[2])
    }
}
