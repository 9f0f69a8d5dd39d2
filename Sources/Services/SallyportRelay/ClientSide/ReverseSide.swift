internal import HTTP1
internal import Hostnames
internal import NIOCore

/// What a client's connection knows of the server for which its listener stands.
final class ReverseSide {
    private let mapping: RelayMapping
    private let destination: Destination
    private let names: ReverseNames

    /// - Parameter address: the relay's end of the connection.
    init(_ mapping: RelayMapping, at address: SocketAddress?, _ settings: RelaySettings) {
        self.mapping = mapping
        let isAlone = settings.parents.isEmpty && settings.chooser == nil
        let isDirect = isAlone || settings.destinations.isDirect(mapping.origin)
        destination = Destination(mappedTo: mapping.origin, isDirect: isDirect)
        names = ReverseNames(mapping, at: address)
    }

    /// Reads a request to the server.
    func request(_ head: RequestHead, _ bytes: ByteBuffer) throws(RelayRefusal) -> ReadRequest {
        let span = bytes.readableBytesUInt8Span
        let target: ProxyTarget
        do throws(TargetDefect) {
            target = try ProxyTarget(ofServer: head, isSecure: mapping.listener.isSecure, in: span)
        } catch {
            throw .target(error)
        }
        let base: Origin
        if target.authority.isEmpty {
            // HTTP/1.0; a browser sends Host always.
            guard head.fields.hosts == 0, let own = names.ownBase else { throw .misdirected }
            base = own
        } else {
            guard let named = names.base(ReverseFields.text(target.authority, bytes)) else { throw .misdirected }
            base = named
        }
        let isSafe = head.method == .head || span.equals("get", in: head.methodRange)
        guard !CrossSiteRule(head, bytes).refuses(base: "\(base)", isSafe: isSafe) else { throw .crossSite }
        return ReadRequest(
            head: head,
            target: target,
            destination: destination,
            bytes: bytes,
            rewriting: ReverseRewriting(server: mapping.origin, base: base)
        )
    }
}
