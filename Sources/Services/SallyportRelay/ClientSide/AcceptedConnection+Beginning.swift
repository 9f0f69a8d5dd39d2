internal import HTTP1
internal import Hostnames
internal import NIOCore
internal import Sallyport
internal import SallyportNIO

extension AcceptedConnection {
    /// Begins the request whose head is `bytes`.
    func begin(_ bytes: ByteBuffer) throws(HeadDefect) {
        loop.counters.requests += 1
        let span = bytes.readableBytesUInt8Span
        let head = try RequestHead(parsing: span)
        let clients = listener.mapping == nil ? loop.core.proxyClients : loop.core.serverClients
        guard let clients else { return begin(consume head, bytes) }
        let logOn = logOn ?? ClientLogOn(self, by: clients)
        self.logOn = logOn
        logOn.admit(head, bytes)
    }

    /// Begins a request whose client may use the relay.
    func begin(_ head: consuming RequestHead, _ bytes: ByteBuffer) {
        let span = bytes.readableBytesUInt8Span
        guard !head.asksForItself(span) else { return refuse(.reflected) }
        guard !isOwn(head, bytes) else { return refuse(.loop) }
        if let identities = loop.core.identities, !chooseAccounts(identities) { return }
        if let mapping = listener.mapping {
            do throws(RelayRefusal) { findWays(try reverseSide(mapping).request(head, bytes)) } catch { refuse(error) }
            return
        }
        let (target, destination): (ProxyTarget, Destination)
        do throws(TargetDefect) {
            target = try ProxyTarget(of: head, in: span)
            destination = try self.destination(at: target.authority, isTunnel: head.method == .connect, in: span)
        } catch {
            return refuse(.target(error))
        }
        guard !destination.isForbidden else { return refuse(.forbidden(destination.origin)) }
        findWays(ReadRequest(head: head, target: target, destination: destination, bytes: bytes))
    }

    /// The server of a request; that of the last one if it is the same.
    private func destination(
        at authority: Range<Int>,
        isTunnel: Bool,
        in bytes: Span<UInt8>
    ) throws(TargetDefect) -> Destination {
        if let last = destination, last.isAt(authority, isTunnel: isTunnel, in: bytes) { return last }
        let made = try Destination(authority, isTunnel: isTunnel, in: bytes, loop.core.settings.destinations)
        destination = made
        return made
    }

    private func reverseSide(_ mapping: RelayMapping) -> ReverseSide {
        if let reverse { return reverse }
        let made = ReverseSide(mapping, at: context?.channel.localAddress, loop.core.settings)
        reverse = made
        return made
    }

    /// Carries a request, at once if its ways are known.
    private func findWays(_ request: consuming ReadRequest) {
        if request.destination.isDirect { return carry(request, by: loop.core.direct) }
        guard let chooser = loop.core.settings.chooser else { return carry(request, by: loop.core.ways) }
        if let known = chooser.known(for: request.destination.origin) {
            return carry(request, by: loop.core.parents.choice(known))
        }
        choose(request, chooser)
    }

    /// Carries a request whose ways a chooser has named.
    private func carry(_ request: consuming ReadRequest, by choice: ParentTable.Choice) {
        if choice.ways.isEmpty, let parent = choice.forbidden { return refuse(.forbiddenProxy(parent)) }
        carry(request, by: choice.ways)
    }

    /// Carries a request whose ways are known.
    private func carry(_ request: consuming ReadRequest, by ways: [NextHop]) {
        let way = loop.fallback(from: ways) ?? loop.core.health.choice(at: loop.now, among: ways)
        guard let way else { return refuse(.notChosen(reason: "too many proxies are named: shorten the script")) }
        guard let pool = pools.pool(for: request.destination, by: way) else { return refuse(.waitedTooLong) }
        begin(makeExchange(request, ways, pool))
    }

    private func begin(_ exchange: RelayedRequest) {
        if exchange.isClientsLogOn { ownOrigin = exchange.destination.origin }
        self.exchange = exchange
        phase = .exchanging
        if let authenticator = accounts.authenticator, authenticator.hasTokenSources {
            return exchange.prepare(authenticator)
        }
        answerServer(exchange)
        deadline = .distantFuture
        exchange.start()
    }

    /// Lets the server's challenges be answered, if the settings or the listener want it.
    func answerServer(_ exchange: RelayedRequest) {
        if exchange.rewriting != nil || loop.core.settings.answersServers { exchange.placeToken() }
        guard !speaksForItself(at: exchange.destination) else { return }
        if exchange.rewriting != nil {
            exchange.answerServer(isAsked: accounts.authenticator != nil)
        } else if loop.core.settings.answersServers {
            exchange.answerServer()
        }
    }

    /// Out of line, so that the exchange alone holds the memory of its prefix, and writes to it without a copy.
    @inline(never)
    private func makeExchange(_ request: consuming ReadRequest, _ ways: [NextHop], _ pool: UpstreamPool)
        -> RelayedRequest
    {
        let (via, heads) = (loop.via, loop.heads)
        let changes = request.head.method == .connect ? nil : loop.core.fieldChanges
        let (prefix, path) = request.prefix(isOriginForm: pool.isDirect, changes, via: via, heads)
        let mayChangeForm = loop.core.mixesForms && (ways.count > 1 || loop.core.settings.fallsBackToDirect)
        let rewrite = mayChangeForm ? rewriter(of: request, changes) : nil
        let text = RequestText(prefix, path: path, rewrite: rewrite)
        return RelayedRequest(request, text, by: ways, to: pool, with: accounts.current.handler, for: self)
    }

    /// Writes the prefix of a request anew. Out of line, because a request is copied for it.
    @inline(never)
    private func rewriter(of request: ReadRequest, _ changes: FieldChanges?) -> (Bool) -> (ByteBuffer, Range<Int>) {
        let (via, heads) = (loop.via, loop.heads)
        return { request.prefix(isOriginForm: $0, changes, via: via, heads) }
    }

    /// Whether the client has authenticated itself at the server before: its next requests have no answer, and are its own.
    func speaksForItself(at server: Destination) -> Bool { ownOrigin != nil && ownOrigin == server.origin }

    /// Whether the request has passed this relay before.
    private func isOwn(_ head: RequestHead, _ bytes: ByteBuffer) -> Bool {
        head.fields.via.contains { range in
            bytes.getString(at: bytes.readerIndex + range.lowerBound, length: range.count)?
                .contains(loop.core.pseudonym) == true
        }
    }

    /// Finds the accounts that answer for the client.
    ///
    /// - Returns: `false` if the request was refused, because its owner would decide and is not known.
    private func chooseAccounts(_ identities: ClientIdentification) -> Bool {
        var user: UInt32?
        if identities.needsOwner {
            guard let peer = context?.channel.remoteAddress, let local = context?.channel.localAddress else {
                refuse(.unknownOwner)
                return false
            }
            if Hostname(peer)?.isLoopback == true {
                user = owner.find(peer, local)
                guard user != nil else {
                    refuse(.unknownOwner)
                    return false
                }
            }
        }
        let found = identities.accounts(for: logOn?.name, owner: user, at: listener.address)
        accounts = found ?? loop.core.accounts
        return true
    }

    // MARK: The choice of a way

    /// Waits for the ways to a server.
    private func choose(_ request: ReadRequest, _ chooser: any ProxyChooser) {
        phase = .exchanging
        deadline = loop.now + loop.limits.choosing
        let bound = NIOLoopBound((self, request), eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        let server = request.destination.origin
        let task = Task {
            let result: Result<[RelayRoute], any Error>
            do { result = .success(try await chooser.choices(for: server)) } catch { result = .failure(error) }
            eventLoop.execute {
                let (client, request) = bound.value
                client.chosen(result, request)
            }
        }
        choosing = Choosing(request, task)
    }

    private func chosen(_ result: Result<[RelayRoute], any Error>, _ request: ReadRequest) {
        // A request that was given up has no task; another one begins only after its response.
        guard choosing != nil else { return }
        switch result {
        case .success(let choices): carry(request, by: loop.core.parents.choice(choices))
        case .failure(let error): refuse(.notChosen(reason: "\(error)"))
        }
        choosing = nil
        process()
        flush()
        resumeReads()
    }
}
