internal import NIOCore

extension ClientConnection {
    /// Turns the connection into one end of a tunnel.
    func openTunnel(_ upstream: UpstreamConnection) {
        exchange?.cancel()
        exchange = nil
        // No request follows.
        (destination, reverse, logOn) = (nil, nil, nil)
        phase = .tunnel
        tunnel = upstream
        loop.counters.tunnels += 1
        TunnelOptions.apply(to: context?.channel)
        upstream.openTunnel()
        if received.readableBytes > 0 {
            upstream.write(received)
            received = loop.noBytes
        }
        upstream.flush()
        flush()
        if inputIsClosed { upstream.finishWriting() }
        resumeReads()
    }

    /// Passes the parent's end on.
    func finishWriting() {
        guard let context else { return }
        if inputIsClosed { return close() }
        sendAll()
        context.close(mode: .output, promise: nil)
    }

    func tunnelEnded() {
        tunnel = nil
        close()
    }

    func touchTunnel() { tunnel?.touch() }
}
