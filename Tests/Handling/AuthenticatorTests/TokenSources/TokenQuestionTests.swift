import OAuth
import Sallyport
import Secrets
import Synchronization
import TestLimits
import TestSupport
import Testing

@testable import Authenticator

/// What a source of tokens gets to know of the request.
@Suite(.inTurn) struct TokenQuestionTests {
    /// Brings one token after the other, and keeps the questions.
    private final class Recorder: TokenSource {
        let questions = Mutex<[TokenQuestion]>([])

        func token(for question: TokenQuestion) async throws -> AccessToken? {
            questions.withLock { questions in
                questions.append(question)
                return AccessToken(SharedSecret(utf8: "t\(questions.count)"))
            }
        }
    }

    @Test("Row 38: a source sees the path and the whole challenge, and can choose by them", .row(38, 46))
    func challenged() async throws {
        let (world, source) = (TokenWorld(), Recorder())
        world.state.withLock { $0.access["t1"] = .max }
        let authenticator = try world.authenticator(source)
        #expect(try await world.get(authenticator, "/maps/roads?layer=2") == 200)
        let question = try #require(source.questions.withLock { $0.first })
        #expect(question.path == "/maps/roads" && "\(question.origin)" == "https://api.acme.example")
        // As the service of TokenWorld writes it.
        #expect(question.challenge?.realm == "api" && question.challenge?.scope == nil)
        #expect(question.challenge?.problem == .invalidToken && question.replaced == nil)
    }

    @Test("Before a request there is no challenge, and the path is there") func inAdvance() async throws {
        let (world, source) = (TokenWorld(), Recorder())
        world.state.withLock { $0.access["t1"] = .max }
        let authenticator = try world.authenticator(source, first: true)
        #expect(try await world.get(authenticator, "/maps") == 200)
        let question = try #require(source.questions.withLock { $0.first })
        #expect(question.path == "/maps" && question.challenge == nil && question.replaced == nil)
    }
}
