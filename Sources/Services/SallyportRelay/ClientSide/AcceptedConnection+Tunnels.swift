internal import HTTP1
internal import NIOCore

/// Clients that speak no HTTP: they get a tunnel, for which the relay asks as if they had sent CONNECT. So its rules are those of all tunnels.
extension AcceptedConnection {
    func channelActive(context: ChannelHandlerContext) {
        if case .opaque(let tunnel) = listener.speech {
            destination = Destination(of: tunnel, loop.core.settings.destinations)
            askForTunnel(to: tunnel.authority)
        }
        context.fireChannelActive()
    }

    /// - Parameter authority: host and port.
    private func askForTunnel(to authority: String) {
        loop.counters.requests += 1
        let bytes = ByteBuffer(string: "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
        do throws(HeadDefect) {
            begin(try RequestHead(parsing: bytes.readableBytesUInt8Span), bytes)
        } catch {
            refuse(.defect(error))
        }
    }

    /// What a client gets in place of a response; `nil` if its protocol is not known, or says nothing yet.
    func answer(to refusal: RelayRefusal, isHead: Bool) -> ByteBuffer? {
        switch listener.speech {
        case .http: refusal.answer(isHead: isHead)
        case .socks: refusal.socksAnswer(at: socksStage)
        case .opaque: nil
        }
    }

    // MARK: SOCKS

    /// Reads the next message of a client of SOCKS.
    ///
    /// - Returns: whether another one may follow.
    func readSOCKS() -> Bool {
        var all = takeReceived()
        let message: SOCKSRequest?
        do throws(SOCKSClientDefect) { message = try SOCKSRequest.take(at: socksStage, from: &all) } catch {
            refuse(.socksClient(error))
            return false
        }
        // A client may send what is for the server behind its request.
        if all.readableBytes > 0 { received = all }
        guard let message else {
            if inputIsClosed {
                close()
            } else if !holdHead(received.readableBytes > 0 ? received.storageCapacity : 0) {
                refuse(.tooManyHeads)
            }
            return false
        }
        holdHead(0)
        perform(message)
        return true
    }

    private func perform(_ message: SOCKSRequest) {
        switch message {
        case .methods(let methods):
            let method = loop.core.proxyClients == nil ? SOCKSMessages.Method.none : .userAndPassword
            guard methods.contains(method.rawValue) else {
                return refuse(.socksClient(method == .none ? .noOpenMethod : .noPassword))
            }
            answerSOCKS(SOCKSAnswers.method(method), next: method == .none ? .request : .logOn)
        case .logOn(let user, let password):
            guard let clients = loop.core.proxyClients else { return refuse(.socksClient(.malformed)) }
            let logOn = ClientLogOn(self, by: clients)
            self.logOn = logOn
            logOn.admit(user: user, password: password)
        case .target(let authority):
            socksStage = .asked
            deadline = .distantFuture
            askForTunnel(to: authority)
        }
    }

    private func answerSOCKS(_ bytes: [UInt8], next: SOCKSStage) {
        socksStage = next
        write(ByteBuffer(bytes: bytes))
        flush()
    }

    /// The client of SOCKS may use the relay.
    func socksClientIsIn() {
        phase = .greeting
        deadline = loop.now + loop.limits.head
        answerSOCKS(SOCKSAnswers.loggedOn, next: .request)
    }

    /// The client of SOCKS may not (RFC 1929 section 2: then the connection ends).
    func turnAwaySOCKS() {
        received = loop.noBytes
        write(ByteBuffer(bytes: SOCKSAnswers.notLoggedOn))
        closeLingering()
    }
}
