import HTTPTypes
import Sallyport
import Synchronization

/// Requests that are all under way before the first response comes.
final class RequestLoad {
    private var requests: [Int: Request] = [:]
    private(set) var outcomes: [RequestOutcome] = []

    /// A class, because the authentication cannot be copied.
    private final class Request {
        var authentication: RequestAuthentication
        var step: RequestStep

        init(_ authentication: consuming RequestAuthentication) {
            self.authentication = authentication
            step = self.authentication.begin()
        }
    }

    init(_ count: Int, _ make: (Int) throws -> RequestAuthentication) rethrows {
        for number in 0..<count { requests[number] = Request(try make(number)) }
    }

    /// Runs the requests in turns; one that waits asks again after the others had their turn.
    func run(_ respond: (RequestSending, Int) -> (status: Int, fields: HTTPFields)) {
        // Each turn ends a request or lets one attempt end, so that this bound is far away.
        for _ in 0..<10_000 where !requests.isEmpty {
            for number in requests.keys.sorted() {
                guard let request = requests[number] else { continue }
                switch request.step {
                case .send(let sending):
                    let (status, fields) = respond(sending, number)
                    request.step = request.authentication.received(status: status, fields: fields)
                case .wait(let turn):
                    let isCalled = Mutex(false)
                    turn.whenReady { isCalled.withLock { $0 = true } }
                    if isCalled.withLock({ $0 }) { request.step = request.authentication.resume() }
                case .needs: requests[number] = nil
                case .deliver(let outcome):
                    outcomes.append(outcome)
                    requests[number] = nil
                }
            }
        }
    }
}
