internal import HTTPAuthentication
internal import HTTPTypes
internal import Sallyport
internal import SallyportNIO

/// Where a request stands. Each case names what may follow.
enum RelayedRequestStage {
    /// It gets a connection, or it is sent and its final response has not begun: each other case.
    case underWay
    /// It waits until another request's connection is free: under way.
    case queued
    /// A refused response is read to its end: under way.
    case draining(AfterDrain)
    /// Another request tries the password: under way.
    case waiting(TurnWait)
    /// A token is asked for. Mostly it is there already: under way.
    case preparing(Task<Void, Never>)
    /// A store, or a person, is asked for a password: under way.
    case asking(Task<Void, Never>)
    /// The response has begun: under way, if nothing of it has left.
    ///
    /// - Parameter closesClient: whether the client's connection ends with it.
    case delivering(closesClient: Bool)

    /// What to do at the end of a refused response.
    enum AfterDrain {
        case flow
        case wait(AttemptTurn)
        case ask(Refusal, HTTPFields, ChallengedParty)
    }

    /// Whether the client gets the response that is being read.
    var isDelivering: Bool { if case .delivering = self { true } else { false } }

    /// Whether a refused response is read to its end.
    var isDraining: Bool { if case .draining = self { true } else { false } }

    /// Whether the request waits for a token or a password.
    var isAsking: Bool {
        switch self {
        case .preparing, .asking: true
        case .underWay, .queued, .draining, .waiting, .delivering: false
        }
    }

    /// Whether the request waits for something that may take long and has sent nothing: for a person, or for a free connection. A client that
    /// closes its side then has probably gone away, so its request is dropped. Any other one goes on: it is sent within seconds, and the
    /// client may only have no more to say.
    var waitsLong: Bool {
        switch self {
        case .queued, .asking: true
        case .underWay, .draining, .waiting, .preparing, .delivering: false
        }
    }

    /// Ends what could still call the exchange.
    ///
    /// - Returns: whether there was something.
    func cancel() -> Bool {
        switch self {
        case .waiting(let wait): wait.cancel()
        case .preparing(let task), .asking(let task): task.cancel()
        case .underWay, .queued, .draining, .delivering: return false
        }
        return true
    }
}
