internal import HTTP1
internal import Hostnames
internal import NIOCore
internal import Sallyport

/// What a client's connection knows of the server for which its listener stands.
final class ReverseSide {
    let destination: Destination
    let names: ReverseNames

    init(_ destination: Destination, _ names: ReverseNames) { (self.destination, self.names) = (destination, names) }
}

extension ClientConnection {
    /// Begins a request to the server for which the listener stands.
    func begin(_ head: RequestHead, _ bytes: ByteBuffer, at mapping: RelayMapping) {
        let span = bytes.readableBytesUInt8Span
        let target: RequestTarget
        do throws(TargetDefect) {
            target = try RequestTarget(ofServer: head, isSecure: mapping.listener.isSecure, in: span)
        } catch {
            return refuse(.target(error))
        }
        let side = reverseSide(mapping)
        let base: Origin
        if target.authority.isEmpty {
            // HTTP/1.0; a browser sends Host always.
            guard head.fields.hosts == 0, let own = side.names.ownBase else { return refuse(.misdirected) }
            base = own
        } else {
            guard let named = side.names.base(ReverseFields.text(target.authority, bytes)) else {
                return refuse(.misdirected)
            }
            base = named
        }
        guard !isOwn(head, bytes) else { return refuse(.loop) }
        let isSafe = head.method == .head || span.equals("get", in: head.methodRange)
        guard !CrossSiteRule(head, bytes).refuses(base: "\(base)", isSafe: isSafe) else { return refuse(.crossSite) }
        findWays(
            ReadRequest(
                head: head,
                target: target,
                destination: side.destination,
                bytes: bytes,
                rewriting: ReverseRewriting(server: mapping.origin, base: base)
            )
        )
    }

    private func reverseSide(_ mapping: RelayMapping) -> ReverseSide {
        if let reverse { return reverse }
        let settings = loop.core.settings
        let isAlone = settings.parents.isEmpty && settings.chooser == nil
        let isDirect = isAlone || settings.destinations.isDirect(mapping.origin)
        let made = ReverseSide(
            Destination(mappedTo: mapping.origin, isDirect: isDirect),
            ReverseNames(mapping, at: context?.channel.localAddress)
        )
        reverse = made
        return made
    }
}
