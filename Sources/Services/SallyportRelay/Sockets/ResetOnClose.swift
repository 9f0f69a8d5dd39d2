internal import NIOCore

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// Lets a channel end with a reset instead of an end: a response that stops in its middle must not look complete.
enum ResetOnClose {
    static func apply(to channel: any Channel) {
        // Without a linger, closing resets. On the event loop the option is set at once; it fails if the channel is closed already.
        _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
