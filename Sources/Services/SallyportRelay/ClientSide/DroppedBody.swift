internal import ClientAuthentication
internal import HTTP1

/// The body of a request that is refused, and the response that follows it.
final class DroppedBody {
    var body: BodyReader
    var bytes = 0
    private let refusal: ClientRefusal
    private let isHead: Bool

    init(_ head: RequestHead, _ refusal: ClientRefusal) {
        body = BodyReader(head.framing)
        self.refusal = refusal
        isHead = head.method == .head
    }

    func response(closes: Bool) -> String {
        RelayRefusal.client(refusal).response(isHead: isHead, fields: refusal.fields, closes: closes)
    }
}
