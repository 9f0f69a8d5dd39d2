internal import HTTP1
internal import NIOCore
package import RequestFlow
internal import SallyportNIO

extension AuthenticatedClient {
    /// What the flow of a request knows before it begins.
    package func facts(of request: ClientRequest) -> FlowFacts {
        FlowFacts(
            answersInAdvance: settings.answersInAdvance,
            mayBeRepeated: RequestHead.Method(request.method).mayBeRepeated,
            bodyBytes: request.body.mostBytes,
            mostDroppedBytes: Int64(settings.drainedBytes)
        )
    }
}

extension ClientRequest.Body {
    /// The length, or a large number where it is not known.
    var mostBytes: Int64 {
        switch self {
        case .none: 0
        case .bytes(let buffer): Int64(buffer.readableBytes)
        case .repeatable(let length, _), .once(let length, _): length ?? .max
        }
    }

    /// Whether the body can be sent again.
    package var canRepeat: Bool {
        if case .once = self { return false }
        return true
    }
}
