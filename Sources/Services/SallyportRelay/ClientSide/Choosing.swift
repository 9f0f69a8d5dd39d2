/// A request that waits for its ways.
final class Choosing {
    let request: ReadRequest
    let task: Task<Void, Never>

    init(_ request: ReadRequest, _ task: Task<Void, Never>) { (self.request, self.task) = (request, task) }
}
