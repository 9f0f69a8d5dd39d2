internal import HTTP1
internal import Hostnames
internal import NIOCore
internal import Sallyport

extension ClientConnection {
    /// Begins the request whose head is `bytes`.
    func begin(_ bytes: ByteBuffer) throws(HeadDefect) {
        loop.counters.requests += 1
        let span = bytes.readableBytesUInt8Span
        let head = try RequestHead(parsing: span)
        let clients = listener.mapping == nil ? loop.core.proxyClients : loop.core.serverClients
        if let clients { return admit(head, bytes, by: clients) }
        begin(head, bytes)
    }

    /// Begins a request whose client may use the relay.
    func begin(_ head: RequestHead, _ bytes: ByteBuffer) {
        guard !head.asksForItself(bytes.readableBytesUInt8Span) else { return refuse(.reflected) }
        if let identities = loop.core.identities, !chooseAccounts(identities) { return }
        if let mapping = listener.mapping { return begin(head, bytes, at: mapping) }
        let span = bytes.readableBytesUInt8Span
        let (target, destination): (RequestTarget, Destination)
        do throws(TargetDefect) {
            target = try RequestTarget(of: head, in: span)
            destination = try self.destination(at: target.authority, isTunnel: head.method == .connect, in: span)
        } catch {
            return refuse(.target(error))
        }
        guard !isOwn(head, bytes) else { return refuse(.loop) }
        guard !destination.isForbidden else { return refuse(.forbidden(destination.origin)) }
        let request = ReadRequest(head: head, target: target, destination: destination, bytes: bytes)
        findWays(request)
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

    /// Carries a request, at once if its ways are known.
    func findWays(_ request: ReadRequest) {
        if request.destination.isDirect { return carry(request, by: loop.core.direct) }
        guard let chooser = loop.core.settings.chooser else { return carry(request, by: loop.core.ways) }
        if let known = chooser.known(for: request.destination.origin) {
            return carry(request, by: loop.core.parents.choice(known))
        }
        choose(request, chooser)
    }

    /// Carries a request whose ways a chooser has named.
    func carry(_ request: ReadRequest, by choice: ParentTable.Choice) {
        if choice.ways.isEmpty, let parent = choice.forbidden { return refuse(.forbiddenProxy(parent)) }
        carry(request, by: choice.ways)
    }

    /// Carries a request whose ways are known.
    func carry(_ request: ReadRequest, by ways: [Way]) {
        let way = loop.core.health.choice(at: loop.now, among: ways)
        guard let way else { return refuse(.notChosen(reason: "too many proxies are named: shorten the script")) }
        guard let pool = loop.pool(for: request.destination, by: way) else { return refuse(.waitedTooLong) }
        begin(makeExchange(request, ways, pool))
    }

    private func begin(_ exchange: Exchange) {
        if exchange.isClientsLogOn { ownOrigin = exchange.destination.origin }
        self.exchange = exchange
        phase = .exchanging
        if let authenticator = accounts.authenticator, authenticator.hasTokenSources {
            return prepare(exchange, authenticator)
        }
        answerServer(exchange)
        deadline = .distantFuture
        start(exchange)
    }

    /// Lets the server's challenges be answered, if the settings or the listener want it.
    func answerServer(_ exchange: Exchange) {
        guard !speaksForItself(exchange) else { return }
        if exchange.rewriting != nil {
            exchange.answerServer(isAsked: accounts.authenticator != nil)
        } else if loop.core.settings.answersServers {
            exchange.answerServer()
        }
    }

    /// Out of line, so that the exchange alone holds the memory of its prefix, and writes to it without a copy.
    @inline(never)
    private func makeExchange(_ request: ReadRequest, _ ways: [Way], _ pool: UpstreamPool) -> Exchange {
        let (via, allocator) = (loop.via, loop.allocator)
        let (prefix, path) = request.prefix(isOriginForm: pool.isDirect, via: via, allocator)
        let handler = accounts.current.handler
        let exchange = Exchange(request, prefix, path: path, by: ways, to: pool, with: handler)
        if ways.count > 1, loop.core.mixesForms {
            exchange.rewrite = { request.prefix(isOriginForm: $0, via: via, allocator) }
        }
        return exchange
    }

    /// Whether the client has authenticated itself at the server before: its next requests have no answer, and are its own.
    func speaksForItself(_ exchange: Exchange) -> Bool { ownOrigin != nil && ownOrigin == exchange.destination.origin }

    /// Whether the request has passed this relay before.
    func isOwn(_ head: RequestHead, _ bytes: ByteBuffer) -> Bool {
        head.fields.via.contains { range in
            bytes.getString(at: bytes.readerIndex + range.lowerBound, length: range.count)?
                .contains(loop.core.pseudonym) == true
        }
    }
}
