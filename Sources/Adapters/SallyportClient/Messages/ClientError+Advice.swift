internal import Hostnames
internal import SallyportNIO

extension ClientError {
    /// `error` of a connection over which `proxy` has never answered, with what to do then.
    static func advised(_ error: any Error, of proxy: Origin) -> any Error {
        guard let remedy = PlainProxy.remedy(proxy) else { return error }
        switch error {
        case ClientError.connectionLost(proxy):
            return ClientError.notConnected(
                proxy,
                reason: "it closed the connection before it answered: try again; \(remedy)"
            )
        case ClientError.malformedResponse(proxy, reason: ResponseDefect.statusLine.problem):
            return ClientError.notConnected(proxy, reason: "\(ResponseDefect.statusLine); \(remedy)")
        default: return error
        }
    }
}
