internal import NIOCore
internal import NIOHTTP1

/// The parts of a response that the user has not got yet.
struct HeldResponse {
    /// The head; `nil` before it has come.
    private(set) var head: HTTPResponseHead?
    /// The parts as they came, because wrapping them anew would cost an allocation each. The head is apart, because most responses
    /// are judged by it alone.
    private var first: NIOAny?
    private var rest: [NIOAny] = []

    init() {}

    init(_ head: HTTPResponseHead, _ data: NIOAny) {
        self.head = head
        first = data
    }

    mutating func append(_ data: NIOAny) { rest.append(data) }

    /// Removes and returns the parts in their order.
    mutating func take() -> (first: NIOAny?, rest: [NIOAny]) {
        defer { self = HeldResponse() }
        return (first, rest)
    }
}
