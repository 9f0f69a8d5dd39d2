internal import HTTP1
internal import HTTPTypes
internal import NIOCore
internal import Sallyport

/// Delivers responses to the client.
extension ClientConnection {
    func deliver(
        _ head: ResponseHead,
        _ bytes: ByteBuffer,
        on upstream: UpstreamConnection,
        _ exchange: Exchange
    ) {
        noteLatency(of: exchange)
        if exchange.head.method == .connect, (200..<300).contains(head.status) {
            writeEstablished()
            return openTunnel(upstream)
        }
        if head.status == 101 {
            guard exchange.head.wantsWebSocket else { return refuse(.switchedUnasked(exchange.pool.origin)) }
            write(ResponseWriter.head(head, bytes, isToHTTP10: exchange.head.isHTTP10, closes: false, loop))
            return openTunnel(upstream)
        }
        exchange.forgetBody()
        let closes = closes(head, exchange)
        exchange.stage = .delivering(closesClient: closes)
        writeHead(
            ResponseWriter.head(
                head,
                bytes,
                isToHTTP10: exchange.head.isHTTP10,
                closes: closes,
                rewriting: exchange.rewriting,
                proof: logOn?.proof,
                keepsSessions: keepsSessions(head, exchange),
                loop
            )
        )
    }

    /// Whether to say that NTLM and Negotiate with the server are safe through the relay (RFC 4559 section 6). Where another proxy follows,
    /// that one says it.
    private func keepsSessions(_ head: ResponseHead, _ exchange: Exchange) -> Bool {
        head.status == ServerStatus.challenge && exchange.pool.isDirect && exchange.rewriting == nil
            && !head.fields.hasProxySupport
    }

    /// Tells the client that its tunnel is open.
    func writeEstablished() {
        var out = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n")
        for field in logOn?.proof ?? [:] { RequestFields.write(field, to: &out) }
        out.writeInteger(UInt16(0x0D0A))
        write(out)
    }

    func noteLatency(of exchange: Exchange) {
        let time = (NIODeadline.now() - exchange.begin).nanoseconds
        loop.latencies.record(microseconds: UInt64(max(0, time)) / 1_000)
    }

    /// Whether the client's connection ends with this response.
    private func closes(_ head: ResponseHead, _ exchange: Exchange) -> Bool {
        exchange.head.closes || head.framing == .untilClose || exchange.head.method == .connect || loop.isEnding
            // A body that was held may still come, or never come.
            || exchange.gate == .held && !exchange.body.isAtEnd
    }

    /// Keeps a connection for the client that has authenticated it.
    private func keepOwn(_ upstream: UpstreamConnection) {
        upstream.park()
        ownUpstream = upstream
    }

    func responseEnded(_ upstream: UpstreamConnection) {
        guard let exchange, exchange.upstream === upstream else { return upstream.close() }
        let isWhole = exchange.body.isAtEnd
        let closes = if case .delivering(closesClient: true) = exchange.stage { true } else { false }
        exchange.upstream = nil
        exchange.cancel()
        self.exchange = nil
        if !exchange.owesBody, upstream.mayBeReused {
            if upstream.isOfClient { keepOwn(upstream) } else { exchange.pool.release(upstream) }
        } else {
            upstream.close()
        }
        guard isWhole, !closes, !inputIsClosed || received.readableBytes > 0, !loop.isEnding else {
            received = loop.noBytes
            return isWhole ? close() : closeLingering()
        }
        phase = .idle
        process()
        flush()
        resumeReads()
    }
}
