internal import NIOCore
internal import Sallyport
internal import Secrets
internal import Synchronization
internal import WireFormat

/// Records what a server sends in the handshake, until NIOSSL asks for a client certificate: NIOSSL does not pass on which
/// authorities and algorithms the server names.
final class ServerFlight: Sendable {
    /// The most bytes that are recorded. BoringSSL takes 100 KB of a message; a flight has one or two that may be so long.
    static let mostBytes = 256 << 10

    private struct Recording {
        var bytes: [UInt8] = []
        /// Of TLS 1.3; empty if it is not known.
        var secret: [UInt8] = []
    }

    /// `nil` after the end.
    private let recording = Mutex<Recording?>(Recording())

    /// Takes bytes from the socket. Returns false if no more are wanted.
    func record(_ buffer: ByteBuffer) -> Bool {
        recording.withLock { recording in
            guard let count = recording?.bytes.count else { return false }
            guard count + buffer.readableBytes <= Self.mostBytes else {
                recording = nil
                return false
            }
            recording?.bytes.append(contentsOf: buffer.readableBytesView)
            return true
        }
    }

    private static let label = "SERVER_HANDSHAKE_TRAFFIC_SECRET "

    /// Takes a line of the key log: of all secrets only that of the server's handshake, which opens no request and no response.
    ///
    /// ```
    /// SERVER_HANDSHAKE_TRAFFIC_SECRET <client random in hexadecimal> <secret in hexadecimal>
    /// ```
    func note(keyLog line: ByteBuffer) {
        let bytes = line.readableBytesView
        guard bytes.starts(with: Self.label.utf8) else { return }
        var digits = Array(bytes.dropFirst(Self.label.utf8.count))
        defer { erase(&digits) }
        guard let blank = digits.firstIndex(of: UInt8(ascii: " ")) else { return }
        var secret: [UInt8] = []
        var high: UInt8?
        for digit in digits[(blank + 1)...] where digit != UInt8(ascii: "\n") {
            guard let value = Hexadecimal.value(of: digit) else { return }
            guard let first = high.take() else {
                high = value
                continue
            }
            secret.append(first << 4 | value)
        }
        recording.withLock { $0?.secret = secret }
        erase(&secret)
    }

    /// Ends the recording, and reads the request in it; `nil` if it cannot be read.
    func takeRequest() -> CertificateRequest? {
        guard var taken = recording.withLock({ $0.take() }) else { return nil }
        defer { erase(&taken.secret) }
        return FlightReading.request(in: taken.bytes, secret: taken.secret)
    }

    /// Ends the recording: the server asks for no certificate, or the connection is gone.
    func end() {
        guard var taken = recording.withLock({ $0.take() }) else { return }
        erase(&taken.secret)
    }
}

/// Passes what the socket brings to the recording of a server's flight, until that has ended.
final class FlightTap: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let flight: ServerFlight

    init(_ flight: ServerFlight) { self.flight = flight }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isWanted = flight.record(unwrapInboundIn(data))
        context.fireChannelRead(data)
        if !isWanted { context.pipeline.syncOperations.removeHandler(self, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        flight.end()
        context.fireChannelInactive()
    }
}
