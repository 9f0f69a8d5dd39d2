internal import SallyportNIO

/// A way on which no connection could be opened, so that no party has seen a part of the request.
struct UnreachedWay: Error {
    let cause: any Error

    /// Runs `connect`, whose error means that the way cannot be taken.
    static func noting<Value>(_ connect: () async throws -> Value) async throws -> Value {
        do {
            return try await connect()
        } catch {
            // A request that has ended takes no other way.
            try Task.checkCancellation()
            switch error {
            // The proxy is there, and asks who the client is.
            case TLSError.identityUndecided: throw error
            default: throw UnreachedWay(cause: error)
            }
        }
    }
}
