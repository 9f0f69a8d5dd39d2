import Foundation
import HTTPAuthentication
import Sallyport
import TestLimits
import Testing

@testable import SallyportURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Passwords that a server refused.
@Suite(.inTurn) struct AuthenticationControllerRefusalsTests {
    @Test("A password that was refused is not given out again, for any request, until it changes") func refusedOnce()
        async throws
    {
        let test = try TestController(source: .credentials("jdoe", "Other-Horse"))
        let controller = test.controller
        func answer(failures: Int, host: String = "wiki.acme.example") throws -> [String] {
            let recorder = RecordingSender()
            let challenge = try TestController.basic(failures: failures, host: host)
            let isHandled = controller.handleChallenge(forURLSessionChallenge: challenge) {
                recorder.completed($0, $1)
            }
            #expect(isHandled == !recorder.called.isEmpty)
            return recorder.called
        }
        #expect(try answer(failures: 0) == ["0 jdoe Correct-Horse"])
        #expect(try answer(failures: 1) == [])
        #expect(try answer(failures: 1) == [])
        #expect(try answer(failures: 0) == [])
        #expect(!controller.canHandle(TestController.space(TestController.Method.basic)))
        // An account without a domain counts at each server alone.
        #expect(try answer(failures: 0, host: "files.acme.example") == ["0 jdoe Correct-Horse"])
        try await controller.updateUserCredentials()
        #expect(controller.canHandle(TestController.space(TestController.Method.basic)))
        // The same challenge, which has failed once, gets the new password.
        #expect(try answer(failures: 1) == ["0 jdoe Other-Horse"])
        #expect(try answer(failures: 2) == [])
    }

    @Test("A failure with somebody else's credential is not held against ours") func foreignFailure() throws {
        let controller = try TestController().controller
        let recorder = RecordingSender()
        let challenge = try TestController.basic(failures: 1)
        #expect(controller.handleChallenge(forURLSessionChallenge: challenge) { recorder.completed($0, $1) })
        #expect(recorder.called == ["0 jdoe Correct-Horse"])
    }

    @Test("The refusal counts for requests that do not go through URLSession") func sharedRefusal() throws {
        let test = try TestController()
        for failures in 0..<2 {
            _ = test.controller.disposition(of: try TestController.basic(failures: failures))
        }
        let request = try ChallengedRequest(url: "https://wiki.acme.example/start", method: "GET")
        var exchange = test.current.handler.exchange(for: request)
        let decision = exchange.received(status: 401, fields: [.wwwAuthenticate: "Basic realm=wiki"])
        #expect(decision == .withhold(.budgetSpent(account: "main")))
    }

    @Test("An account with a domain gets two refusals at most, at all servers together") func directory() throws {
        let controller = try TestController(account: TestController.account(domain: "ACME")).controller
        for host in ["a.acme.example", "b.acme.example"] {
            for failures in 0..<2 {
                _ = controller.disposition(of: try TestController.basic(failures: failures, host: host))
            }
        }
        let third = try TestController.basic(host: "c.acme.example")
        #expect(!controller.handleChallenge(forURLSessionChallenge: third) { _, _ in })
    }
}
