internal import ClientAuthentication
internal import HTTP1
internal import HTTPTypes
internal import Logging
internal import NIOCore

/// A connection of a proxy: checks, one after the other.
final class CheckConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        /// No byte of a request is there.
        case idle
        /// A head has begun.
        case reading
        /// The directory is asked. Nothing is read meanwhile.
        case asking(Question)
        /// The last response is written.
        case ended
    }

    /// A request whose client the directory is asked about.
    private struct Question {
        var connection: ClientConnection
        let asked: ClientQuestion
        let closes: Bool
        let call: Task<Void, Never>
    }

    private let core: GatewayCore
    private var phase = Phase.idle
    private var received = ByteBuffer()
    private var end = HeadEnd(bound: GatewayLimits.head)
    private var questionNumber = 0
    private var wantsRead = false
    /// When the present phase has lasted too long.
    private var deadline = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    init(_ core: GatewayCore) { self.core = core }

    // MARK: Time

    func channelActive(context: ChannelHandlerContext) {
        core.open(context.channel)
        enter(.idle, for: core.limits.idle, context)
        context.fireChannelActive()
    }

    private func enter(_ phase: Phase, for time: TimeAmount, _ context: ChannelHandlerContext) {
        self.phase = phase
        deadline = .now() + time
        if timer == nil { watch(context) }
    }

    /// One timer for all phases: it looks again when it is early.
    private func watch(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // Phases differ; none may last longer than it should because of one before it.
        let next = min(deadline, .now() + core.limits.shortest)
        timer = context.eventLoop.scheduleTask(deadline: next) {
            let (connection, context) = bound.value
            connection.timer = nil
            connection.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        guard deadline <= .now() else { return watch(context) }
        switch phase {
        case .asking:
            core.logger.error(
                "the directory takes too long",
                metadata: ["seconds": "\(core.limits.directory.nanoseconds / 1_000_000_000)"]
            )
            replied(nil, to: questionNumber, context)
            if timer == nil { watch(context) }
        case .idle, .reading, .ended: context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        if case .asking(let question) = phase {
            question.call.cancel()
            // Its attempt ends without a verdict, and the directory keeps none either.
            var connection = question.connection
            _ = connection.replied(nil, to: question.asked)
        }
        phase = .ended
        core.closed(context.channel)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    // MARK: Requests

    /// Reads when the last check is answered, and the proxy has taken its answers.
    func read(context: ChannelHandlerContext) {
        wantsRead = isAsking || !context.channel.isWritable
        if !wantsRead { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if wantsRead { read(context: context) }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ended = phase { return }
        var bytes = unwrapInboundIn(data)
        if received.readableBytes == 0 {
            received = bytes
        } else {
            received.discardReadBytes()
            received.writeBuffer(&bytes)
        }
        process(context)
    }

    /// Answers what has come, as long as no directory is asked.
    private func process(_ context: ChannelHandlerContext) {
        var out = ByteBuffer()
        while received.readableBytes > 0 {
            switch phase {
            case .idle: enter(.reading, for: core.limits.head, context)
            case .reading: break
            case .asking, .ended: return flush(&out, context)
            }
            do throws(HeadDefect) {
                guard let length = try end.find(in: received) else { break }
                guard let head = received.readSlice(length: length) else { break }
                try answer(head, &out, context)
            } catch {
                let reason =
                    error == .headTooLong
                    ? "the head has more than \(GatewayLimits.head) bytes: shorten it" : "\(error)"
                core.logger.notice("a check cannot be read", metadata: ["reason": "\(reason)"])
                finish(.unusable, closes: true, &out, context)
            }
            if case .reading = phase { break }
        }
        flush(&out, context)
    }

    private func answer(_ bytes: ByteBuffer, _ out: inout ByteBuffer, _ context: ChannelHandlerContext)
        throws(HeadDefect)
    {
        let span = bytes.readableBytesUInt8Span
        let head = try RequestHead(parsing: span)
        let request: CheckRequest
        do throws(CheckDefect) {
            guard !head.hasBody else { throw .body }
            request = try CheckRequest(head, span, from: core.front)
        } catch {
            core.logger.error("a check is not understood, so its request is refused", metadata: ["reason": "\(error)"])
            return finish(.unusable, closes: head.closes || head.hasBody, &out, context)
        }
        var connection = core.clients.connection(
            from: request.address,
            isEncrypted: request.isEncrypted,
            isPinned: false
        )
        let step = connection.received(
            method: request.method,
            target: request.target,
            fields: HTTPFields(request.answers)
        )
        perform(step, connection, closes: head.closes, &out, context)
    }

    private func perform(
        _ step: ClientStep,
        _ connection: ClientConnection,
        closes: Bool,
        _ out: inout ByteBuffer,
        _ context: ChannelHandlerContext
    ) {
        switch step {
        case .accept(let acceptance):
            guard acceptance.client.name.survivesAsField else {
                core.logger.error("a name begins or ends with a blank, which is lost in a field: rename the account")
                return finish(.unusable, closes: closes, &out, context)
            }
            finish(.accepted(acceptance), closes: closes, &out, context)
        case .refuse(let refusal):
            core.note(refusal)
            finish(.refused(refusal), closes: closes, &out, context)
        case .ask(let question): ask(question, connection, closes: closes, &out, context)
        }
    }

    private func finish(
        _ response: CheckResponse,
        closes: Bool,
        _ out: inout ByteBuffer,
        _ context: ChannelHandlerContext
    ) {
        let closes = closes || core.isEnding
        response.write(to: &out, for: core.front, closes: closes)
        enter(closes ? .ended : .idle, for: closes ? core.limits.head : core.limits.idle, context)
    }

    private func flush(_ out: inout ByteBuffer, _ context: ChannelHandlerContext) {
        guard out.readableBytes > 0 else { return }
        guard case .ended = phase else { return context.writeAndFlush(wrapOutboundOut(out), promise: nil) }
        let channel = context.channel
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(out), promise: written)
    }

    // MARK: The directory

    private func ask(
        _ question: ClientQuestion,
        _ connection: ClientConnection,
        closes: Bool,
        _ out: inout ByteBuffer,
        _ context: ChannelHandlerContext
    ) {
        guard core.enter() else {
            var connection = connection
            _ = connection.replied(nil, to: question)
            core.logger.error(
                "as many requests wait for the directory as may",
                metadata: ["waiting": "\(core.limits.waiting)"]
            )
            return finish(.busy, closes: closes, &out, context)
        }
        questionNumber += 1
        let (number, eventLoop, core) = (questionNumber, context.eventLoop, core)
        let bound = NIOLoopBound((self, context), eventLoop: eventLoop)
        let call = Task {
            var reply: ClientReply?
            do { reply = try await question.ask(core.clients.directory) } catch is CancellationError {} catch {
                core.logger.error("the directory cannot be asked", metadata: ["reason": "\(error)"])
            }
            let found = reply
            eventLoop.execute {
                let (handler, context) = bound.value
                core.leave()
                handler.replied(found, to: number, context)
            }
        }
        enter(
            .asking(Question(connection: connection, asked: question, closes: closes, call: call)),
            for: core.limits.directory,
            context
        )
    }

    /// Takes the reply to the question with this number, unless the time for it is over.
    private func replied(_ reply: ClientReply?, to number: Int, _ context: ChannelHandlerContext) {
        guard case .asking(let question) = phase, number == questionNumber else { return }
        question.call.cancel()
        var connection = question.connection
        let step = connection.replied(reply, to: question.asked)
        phase = .idle
        var out = ByteBuffer()
        perform(step, connection, closes: question.closes, &out, context)
        flush(&out, context)
        process(context)
        if wantsRead { read(context: context) }
    }

    private var isAsking: Bool { if case .asking = phase { true } else { false } }

    /// When the gateway ends, an idle connection is closed, another one after its response.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is GatewayEnds else { return context.fireUserInboundEventTriggered(event) }
        if case .idle = phase { context.close(promise: nil) }
    }
}

extension ClientName {
    /// Whether the server behind the proxy reads the same name: fields lose blanks at both ends.
    fileprivate var survivesAsField: Bool {
        [user, domain].allSatisfy { $0.utf8.first != 0x20 && $0.utf8.last != 0x20 } && !user.isEmpty
    }
}

@available(*, unavailable)
extension CheckConnection: Sendable {}
