import NIOCore
import NIOEmbedded
import NIOHTTP1
import SallyportNIO
import Testing

/// The bounds around NIO's decoder, on bytes of any cut.
@Suite struct ResponseLimitsTests {
    /// The status codes that come through, and the defect at the end.
    private func result(_ parts: [String]) throws -> (codes: [UInt], defect: ResponseDefect?) {
        let channel = EmbeddedChannel()
        let decoder = ByteToMessageHandler(HTTPResponseDecoder(informationalResponseStrategy: .forward))
        try channel.pipeline.syncOperations.addHandlers([HTTPRequestEncoder(), decoder])
        try channel.pipeline.syncOperations.addResponseLimits(around: decoder)
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/x")).wait()
        var defect: ResponseDefect?
        var codes: [UInt] = []
        // The decoder wants a request for each response.
        for _ in 0..<4 {
            try channel.writeOutbound(HTTPClientRequestPart.head(.init(version: .http1_1, method: .GET, uri: "/")))
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        }
        for part in parts {
            do { try channel.writeInbound(ByteBuffer(string: part)) } catch {
                defect = defect ?? error as? ResponseDefect
            }
            while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
                if case .head(let head) = part { codes.append(head.status.code) }
            }
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return (codes, defect)
    }

    private let hint = "HTTP/1.1 103 Early Hints\r\n\r\n"
    private let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test("The interim responses of each response are counted anew, in one read and byte by byte") func interim() throws
    {
        let text = String(repeating: hint, count: 16) + ok + String(repeating: hint, count: 16) + ok
        let expected = [UInt](repeating: 103, count: 16) + [200]
        for parts in [[text], text.map { String($0) }] {
            let (codes, defect) = try result(parts)
            #expect(codes == expected + expected && defect == nil)
        }
        let (codes, defect) = try result([String(repeating: hint, count: 17) + ok])
        #expect(codes == [UInt](repeating: 103, count: 16) && defect == .tooManyInterimResponses(bound: 16))
    }

    @Test("A head of 64 KiB passes, and one byte more without an end does not") func bytes() throws {
        let start = "HTTP/1.1 200 "
        let most = start + String(repeating: "a", count: 65_536 - start.utf8.count)
        #expect(try result([most]).defect == nil)
        #expect(try result([most, "\r\nContent-Length: 0\r\n\r\n"]).codes == [200])
        #expect(try result([most, "a"]).defect == .headTooLong(bound: 65_536))
        #expect(try result([most, "a", "\r\nContent-Length: 0\r\n\r\n"]).codes.isEmpty)
    }

    @Test("A body of any length is no head") func bodies() throws {
        let long = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        let (codes, defect) = try result([long, String(repeating: "a", count: 1_000_000), ok])
        #expect(codes == [200, 200] && defect == nil)
    }
}
