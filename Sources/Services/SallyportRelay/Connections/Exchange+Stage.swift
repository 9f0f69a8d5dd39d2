internal import HTTPAuthentication
internal import HTTPTypes
internal import Sallyport
internal import SallyportNIO

extension Exchange {
    /// Where the request stands. Each case names what may follow.
    enum Stage {
        /// It gets a connection, or it is sent and its final response has not begun: each other case.
        case underWay
        /// It waits until another request's connection is free: under way.
        case queued
        /// A refused response is read to its end: under way.
        case draining(AfterDrain)
        /// Another request tries the password: under way.
        case waiting(TicketWait)
        /// A token is asked for. Mostly it is there already: under way.
        case preparing(Task<Void, Never>)
        /// A store, or a person, is asked for a password: under way.
        case asking(Task<Void, Never>)
        /// The response has begun: under way, if nothing of it has left.
        ///
        /// - Parameter closesClient: whether the client's connection ends with it.
        case delivering(closesClient: Bool)
    }

    /// What to do at the end of a refused response.
    enum AfterDrain {
        case flow
        case wait(AttemptTicket)
        case ask(Refusal, HTTPFields, ChallengedParty)
    }

    /// Whether the response is the client's.
    var responseHasBegun: Bool { if case .delivering = stage { true } else { false } }

    /// Whether a refused response is read to its end.
    var isDraining: Bool { if case .draining = stage { true } else { false } }

    /// Whether the request waits for a token or a password.
    var isAsking: Bool {
        switch stage {
        case .preparing, .asking: true
        case .underWay, .queued, .draining, .waiting, .delivering: false
        }
    }
}
