internal import ClientAuthentication
internal import HTTPAuthentication
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

extension AuthenticationServerHandler {
    /// Decides about a request.
    func decide(_ head: HTTPRequestHead) {
        guard let context else { return }
        let name = authenticator.options.party.answerField
        var fields = HTTPFields()
        for value in head.headers[name.rawName] { fields.append(HTTPField(name: name, value: value)) }
        var connection = connection ?? makeConnection(context)
        let step = connection.received(method: head.method.rawValue, target: head.uri, fields: fields)
        self.connection = connection
        perform(step, head)
    }

    private func makeConnection(_ context: ChannelHandlerContext) -> ClientConnection {
        let hasTLS = (try? context.pipeline.syncOperations.handler(type: NIOSSLHandler.self)) != nil
        let channel = context.channel
        let address =
            options.countsAddresses
            ? PeerAddress.guessAddress(of: channel.remoteAddress, at: channel.localAddress) : nil
        return authenticator.connection(
            from: address,
            isEncrypted: options.isEncrypted ?? hasTLS,
            isPinned: options.isPinned,
            channelBindings: options.channelBinding.policy(for: options.certificate)
        )
    }

    private func perform(_ step: ClientStep, _ head: HTTPRequestHead) {
        switch step {
        case .accept(let acceptance): serve(head, acceptance)
        case .refuse(let refusal): refuse(head, refusal)
        case .ask(let question): ask(question, head)
        }
    }

    private func serve(_ head: HTTPRequestHead, _ acceptance: ClientAcceptance) {
        var head = head
        head.headers.remove(name: authenticator.options.party.answerField.rawName)
        client = acceptance.client
        proof = acceptance.fields
        (requestHasEnded, responseHasEnded) = (false, false)
        (isConnect, endsDecoding) = (head.method == .CONNECT, head.endsDecoding)
        phase = .serving
        context?.fireUserInboundEventTriggered(AuthenticationServerEvent.accepted(acceptance.client))
        context?.fireChannelRead(wrapInboundOut(.head(head)))
    }

    // MARK: - The directory

    private func ask(_ question: ClientQuestion, _ head: HTTPRequestHead) {
        guard let context else { return }
        phase = .asking(head, question)
        questionNumber += 1
        let (number, loop, directory) = (questionNumber, context.eventLoop, authenticator.directory)
        let handler = NIOLoopBound(self, eventLoop: loop)
        timer = loop.assumeIsolated().scheduleTask(in: options.directoryPatience) {
            self.replied(.success(nil), to: number)
        }
        call = Task {
            let reply: Result<ClientReply?, any Error>
            do { reply = .success(try await question.ask(directory)) } catch { reply = .failure(error) }
            loop.execute { handler.value.replied(reply, to: number) }
        }
    }

    private func replied(_ reply: Result<ClientReply?, any Error>, to number: Int) {
        guard number == questionNumber, case .asking(let head, let question) = phase, var connection else { return }
        timer?.cancel()
        call?.cancel()
        (timer, call) = (nil, nil)
        let known = try? reply.get()
        if known == nil {
            var cause: (any Error)?
            if case .failure(let error) = reply { cause = error }
            context?.fireUserInboundEventTriggered(AuthenticationServerEvent.directoryFailed(cause))
        }
        let step = connection.replied(known, to: question)
        self.connection = connection
        phase = .idle
        perform(step, head)
        receiveHeld()
        readEventHasEnded()
    }
}
