internal import ClientAuthentication
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// A request that is not served.
struct RefusedRequest {
    let head: HTTPRequestHead
    let refusal: ClientRefusal
    var droppedBytes = 0
    var isAnswered = false

    /// Whether another request may follow.
    var keepsConnection: Bool {
        guard head.isKeepAlive else { return false }
        return head.method == .CONNECT || !head.endsDecoding || refusal.continuesHandshake
    }
}

extension HTTPRequestHead {
    /// Whether parts of a body may follow.
    fileprivate var hasBody: Bool {
        headers.contains(name: "transfer-encoding") || headers[canonicalForm: "content-length"].contains { $0 != "0" }
    }

    /// Whether NIO's decoder reads nothing after this request.
    var endsDecoding: Bool {
        if method == .CONNECT { return true }
        let options = headers[canonicalForm: "connection"]
        return headers.contains(name: "upgrade") && options.contains { $0.lowercased() == "upgrade" }
    }
}

extension AuthenticationServerHandler {
    /// Refuses a request. The response follows its body, because many clients read no response before they have sent all. A client
    /// that waits for `100 Continue` gets the response at once.
    func refuse(_ head: HTTPRequestHead, _ refusal: ClientRefusal) {
        var refused = RefusedRequest(head: head, refusal: refusal)
        context?.fireUserInboundEventTriggered(AuthenticationServerEvent.refused(refusal.reason))
        let expects = head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
        refused.isAnswered = expects
        phase = .refusing(refused)
        if expects { respond(refused, closing: false) }
        // Without a body the end has come with the head.
        guard let context, head.hasBody else { return }
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: options.droppingPatience) {
            if case .refusing(let refused) = self.phase { self.giveUp(refused) }
        }
    }

    /// Ends a connection whose client does not come to the end of a refused body.
    private func giveUp(_ refused: RefusedRequest) {
        end()
        if refused.isAnswered { context?.close(promise: nil) } else { respond(refused, closing: true) }
    }

    /// Drops a part of a refused request.
    func drop(_ part: HTTPServerRequestPart, _ refused: RefusedRequest) {
        var refused = refused
        switch part {
        case .head: return
        case .body(let bytes):
            refused.droppedBytes += bytes.readableBytes
            phase = .refusing(refused)
            if refused.droppedBytes > options.mostDroppedBytes { giveUp(refused) }
        case .end:
            if refused.head.endsDecoding, refused.keepsConnection, renewDecoder(refused) { return }
            finish(refused)
        }
    }

    private func finish(_ refused: RefusedRequest) {
        timer?.cancel()
        timer = nil
        let closes = !refused.keepsConnection
        if closes { end() } else { phase = .idle }
        if !refused.isAnswered {
            respond(refused, closing: closes)
        } else if closes {
            context?.close(promise: nil)
        }
    }

    /// NIO's decoder reads nothing after a CONNECT or an upgrade, also if that is refused. NTLM needs the next request on this
    /// connection, so another decoder takes the place of the first one.
    ///
    /// - Returns: whether that is under way; `false` without NIO's decoder.
    func renewDecoder(_ refused: RefusedRequest?) -> Bool {
        guard let context else { return false }
        let pipeline = context.pipeline.syncOperations
        guard let old = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self) else { return false }
        let new = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        do { try pipeline.addHandler(new, position: .after(old)) } catch { return false }
        // What the old decoder has left reaches us through the new one before the removal is done.
        phase = .renewing(refused)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        pipeline.removeHandler(old).whenComplete { _ in
            let handler = handler.value
            guard case .renewing(let refused) = handler.phase else { return }
            if let refused { handler.finish(refused) } else { handler.phase = .idle }
            handler.receiveHeld()
            handler.readEventHasEnded()
        }
        return true
    }

    private func respond(_ refused: RefusedRequest, closing: Bool) {
        guard let context else { return }
        let status = HTTPResponseStatus(statusCode: refused.refusal.status)
        let text = "\(status.code) \(status.reasonPhrase)\n"
        var head = HTTPResponseHead(version: refused.head.version, status: status)
        for field in refused.refusal.fields { head.headers.add(name: field.name.rawName, value: field.value) }
        head.headers.add(name: "Content-Type", value: "text/plain")
        head.headers.add(name: "Content-Length", value: "\(text.utf8.count)")
        if closing || !refused.keepsConnection {
            head.headers.add(name: "Connection", value: "close")
        } else if refused.head.version == .http1_0 {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if refused.head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        if closing {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }
}
