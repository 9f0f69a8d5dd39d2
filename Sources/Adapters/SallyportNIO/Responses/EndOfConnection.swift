internal import NIOCore
internal import NIOSSL

/// Errors that say no more than that the peer is gone.
enum EndOfConnection {
    /// Whether `error` is a reset, or the end of TLS without its last message. An orderly end means the same.
    static func isMeant(by error: any Error) -> Bool {
        error is IOError || error as? NIOSSLError == .uncleanShutdown
    }
}
