package import NIOCore
internal import NIOPosix
package import SallyportNIO

/// Accepts the clients of one listener, and pauses while there is no place for them, or no descriptor.
///
/// NIO's own handler for failed accepts delays the next read, but the channel stays registered: the system reports the waiting client again and
/// again, which costs a core. This one takes the channel out of the event loop's set.
package final class AcceptGate: ChannelInboundHandler {
    package typealias InboundIn = any Channel
    package typealias InboundOut = any Channel

    /// Why no clients are accepted.
    package enum Pause: Hashable, Sendable {
        /// As many are connected as may be.
        case full(Int)
        case shortage(LocalShortage)
    }

    /// How long a listener pauses after a failed accept, if no client leaves meanwhile: others may have given descriptors back.
    static let pause = TimeAmount.seconds(1)

    private let places: ClientPlaces
    /// Whether the places of one address are bounded.
    private let countsAddresses: Bool
    private let refused: @Sendable (String) -> Void
    private let paused: @Sendable (Pause) -> Void
    private var isPaused = false
    /// Whether the next client that leaves is awaited.
    private var isWaiting = false

    /// - Parameters:
    ///   - refused: gets the address of a client that has all its places.
    ///   - paused: gets the reason of each pause.
    package init(
        _ places: ClientPlaces,
        countsAddresses: Bool,
        refused: @escaping @Sendable (String) -> Void,
        paused: @escaping @Sendable (Pause) -> Void
    ) {
        (self.places, self.countsAddresses) = (places, countsAddresses)
        (self.refused, self.paused) = (refused, paused)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let client = unwrapInboundIn(data)
        let key = countsAddresses ? ClientPlaces.key(client.remoteAddress) : nil
        guard places.enter(key) else {
            refused(key ?? "")
            return client.close(promise: nil)
        }
        let places = places
        client.closeFuture.whenComplete { _ in places.leave(key) }
        if places.isFull { pause(.full(places.most), context) }
        context.fireChannelRead(data)
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let shortage = LocalShortage(error) else { return context.fireErrorCaught(error) }
        pause(.shortage(shortage), context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
            let (gate, context) = bound.value
            if !gate.places.isFull { gate.resume(context) }
        }
    }

    private func pause(_ reason: Pause, _ context: ChannelHandlerContext) {
        guard !isPaused else { return }
        isPaused = true
        setReads(false, context)
        paused(reason)
        wait(context)
        // One may have left before it was asked for.
        if case .full = reason, !places.isFull { resume(context) }
    }

    /// Goes on when a client has left.
    private func wait(_ context: ChannelHandlerContext) {
        guard !isWaiting else { return }
        isWaiting = true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let eventLoop = context.eventLoop
        places.whenFree {
            eventLoop.execute {
                let (gate, context) = bound.value
                gate.isWaiting = false
                gate.resume(context)
            }
        }
    }

    private func resume(_ context: ChannelHandlerContext) {
        guard isPaused else { return }
        isPaused = false
        setReads(true, context)
    }

    private func setReads(_ isOn: Bool, _ context: ChannelHandlerContext) {
        // A listener that is closed meanwhile needs no option.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isOn)
    }
}

@available(*, unavailable)
extension AcceptGate: Sendable {}
