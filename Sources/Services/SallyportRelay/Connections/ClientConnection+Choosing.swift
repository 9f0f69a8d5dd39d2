internal import Hostnames
internal import NIOCore

extension ClientConnection {
    /// Waits for the ways to a server.
    func choose(_ request: ReadRequest, _ chooser: any ProxyChooser) {
        phase = .exchanging
        deadline = loop.now + loop.limits.choosing
        let bound = NIOLoopBound((self, request), eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        // In a box, because Swift 6.3.1 misaligns an Origin that a closure captures.
        let server = ServerBox(request.destination.origin)
        let task = Task {
            let result: Result<[RelayRoute], any Error>
            do { result = .success(try await chooser.choices(for: server.origin)) } catch { result = .failure(error) }
            eventLoop.execute {
                let (client, request) = bound.value
                client.chosen(result, request)
            }
        }
        choosing = Choosing(request, task)
    }

    private func chosen(_ result: Result<[RelayRoute], any Error>, _ request: ReadRequest) {
        // A request that was given up has no task; another one begins only after its response.
        guard choosing != nil else { return }
        switch result {
        case .success(let choices): carry(request, by: loop.core.parents.choice(choices))
        case .failure(let error): refuse(.notChosen(reason: "\(error)"))
        }
        choosing = nil
        process()
        flush()
        resumeReads()
    }
}

/// A request that waits for its ways.
final class Choosing {
    let request: ReadRequest
    let task: Task<Void, Never>

    init(_ request: ReadRequest, _ task: Task<Void, Never>) { (self.request, self.task) = (request, task) }
}

/// A server that a closure holds.
private final class ServerBox: Sendable {
    let origin: Origin

    init(_ origin: Origin) { self.origin = origin }
}
