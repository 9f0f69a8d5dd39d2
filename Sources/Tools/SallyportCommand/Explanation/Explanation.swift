internal import CredentialSources
internal import Hostnames
internal import OfflineVerbs
internal import SPKIPins
internal import Sallyport
internal import SallyportNIO
internal import Synchronization
internal import WireFormat

/// Collects what happens to a request, in order.
///
/// The number of steps is bounded, because the sends of a request, its repetitions and its redirects are.
final class Explanation: Sendable {
    private struct State {
        var steps: [ExplanationStep] = []
        /// The connections that have carried a response, in order.
        var connections: [UInt64] = []
        /// The rules of the request, and what to do where they withhold a certificate; `nil` before it.
        var rules: (current: CurrentHandler, CertificateRemedy)?
    }

    private let state = Mutex(State())

    /// Receives the events of a request.
    var observer: EventObserver { EventObserver { [self] event in note(event) } }

    /// Notes who had a password.
    func notePassword(of user: String, from place: String, _ question: CredentialQuestion) {
        let party = question.party == .proxy ? "the proxy \(question.origin)" : "\(question.origin)"
        add(
            ExplanationStep(
                topic: "password",
                text: "that of \(user) for \(party) comes from \(place)",
                members: [("user", .string(user)), ("place", .string(place))]
            )
        )
    }

    /// Notes a server that no authority vouches for, and whether a person trusts its key.
    func noteUntrusted(_ server: UntrustedServer, _ reply: ServerTrustReply) {
        let (end, until): (String, Int64?) =
            if case .trust(let until) = reply {
                ("; the person at the terminal trusts it until \(Timestamp.text(unixSeconds: until))", until)
            } else {
                (
                    "; if that is the key that its operator names, add it to 'trustedKeys' of a profile, or trust it with --ask-trust",
                    nil
                )
            }
        add(
            ExplanationStep(
                topic: "server",
                text: "\(server)\(end)",
                members: [
                    ("origin", .string("\(server.origin)")), ("key", .string("\(server.pin)")),
                    ("trustedUntil", JSONValue(until.map { Timestamp.text(unixSeconds: $0) })),
                ]
            )
        )
    }

    /// Notes that there was no connection to a proxy, or to the server for `nil`, so that the next way is tried.
    func noteUnreached(_ proxy: Origin?, _ error: any Error) {
        add(
            ExplanationStep(
                topic: "proxy",
                text:
                    "\(proxy == nil ? "directly: " : "")\(TLSReason.sentence(error).inOneLine); the next one of the list is tried",
                members: [("proxy", JSONValue(proxy.map { "\($0)" }))]
            )
        )
    }

    /// Notes the rules of the request, whose certificates the end names.
    func note(_ current: CurrentHandler, _ remedy: CertificateRemedy) {
        state.withLock { $0.rules = (current, remedy) }
    }

    /// Adds what became of the client certificate.
    func add(_ identity: HandshakeIdentity?) {
        guard let (current, remedy) = state.withLock({ $0.rules }),
            let step = identity?.step(current.handler, remedy)
        else { return }
        add(step)
    }

    func add(_ step: ExplanationStep) { state.withLock { $0.steps.append(step) } }

    /// All steps so far, as a table or as JSON.
    func text(json: Bool) -> String {
        let steps = state.withLock { $0.steps }
        let width = steps.map(\.topic.count).max() ?? 0
        return steps.flatMap { json ? [$0.json] : $0.lines(width: width) }.map { $0 + "\n" }.joined()
    }

    private func note(_ event: AuthenticationEvent) {
        state.withLock { state in
            var connection: String?
            if case .response(let response) = event.content {
                connection = Self.name(of: response.connection, &state.connections)
            }
            if let step = ExplanationStep(event, connection: connection) { state.steps.append(step) }
        }
    }

    /// `connection 2, new`, or that it has carried a response before.
    private static func name(of connection: ConnectionSeen, _ known: inout [UInt64]) -> String {
        guard let id = connection.id else { return "a connection" }
        if let index = known.firstIndex(of: id) { return "connection \(index + 1), reused" }
        known.append(id)
        return "connection \(known.count), new"
    }
}
