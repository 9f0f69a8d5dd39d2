import CredentialSources
import Hostnames
import Secrets
import TestLimits
import Testing

@Suite(.inTurn) struct SourceChainTests {
    private struct Fixed: CredentialSource {
        let answer: @Sendable (CredentialQuestion) throws -> CredentialReply

        func reply(to question: CredentialQuestion) async throws -> CredentialReply { try answer(question) }
    }

    private struct Failure: Error {}

    private let question: CredentialQuestion

    init() throws { question = CredentialQuestion(origin: try Origin(parsing: "https://wiki.example"), realm: "wiki") }

    private func user(_ sources: [Fixed]) async throws -> String? {
        guard case .use(let found) = try await SourceChain(sources).reply(to: question) else { return nil }
        return found.login
    }

    private static func having(_ user: String) -> Fixed {
        Fixed { _ in .use(SuppliedCredential(login: user, password: SharedSecret(utf8: "p"))) }
    }

    @Test("The first source that has something answers") func first() async throws {
        let empty = Fixed { _ in .nothing }
        #expect(try await user([empty, Self.having("a"), Self.having("b")]) == "a")
        #expect(try await user([empty, empty]) == nil)
        #expect(try await user([]) == nil)
    }

    @Test("Every other reply, and an error, ends the search") func ends() async throws {
        for reply in [CredentialReply.cancel, .goOnWithout, .rejectSpace] {
            #expect(try await user([Fixed { _ in reply }, Self.having("a")]) == nil, "\(reply)")
        }
        await #expect(throws: Failure.self) { try await user([Fixed { _ in throw Failure() }, Self.having("a")]) }
    }

    @Test("A cancelled task asks no further source") func cancelled() async throws {
        let chain = SourceChain([
            Fixed { _ in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return .nothing
            }, Self.having("a"),
        ])
        let question = question
        await #expect(throws: CancellationError.self) {
            try await Task { try await chain.reply(to: question) }.value
        }
    }

    @Test("A domain before a backslash is split off, and a description shows no password") func logins() {
        let secret = SharedSecret(utf8: "Secret1")
        for (login, user, domain) in [
            ("jdoe", "jdoe", nil), (#"ACME\jdoe"#, "jdoe", "ACME"), ("jdoe@acme.example", "jdoe@acme.example", nil),
        ] as [(String, String, String?)] {
            let found = SuppliedCredential(login: login, password: secret)
            #expect(found.user == user && found.domain == domain && found.login == login)
            var dumped = ""
            dump(found, to: &dumped)
            #expect(!"\(CredentialReply.use(found)) \(found) \(dumped)".contains("Secret1"))
        }
    }
}
