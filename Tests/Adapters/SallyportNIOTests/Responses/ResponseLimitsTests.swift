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
        let text = String(repeating: hint, count: 1_024) + ok + String(repeating: hint, count: 1_024) + ok
        let expected = [UInt](repeating: 103, count: 1_024) + [200]
        for parts in [[text], text.map { String($0) }] {
            let (codes, defect) = try result(parts)
            #expect(codes == expected + expected && defect == nil)
        }
        let (codes, defect) = try result([String(repeating: hint, count: 1_025) + ok])
        #expect(codes == [UInt](repeating: 103, count: 1_024) && defect == .tooManyInterimResponses(bound: 1_024))
    }

    @Test("A head of 64 KiB passes, and one byte more does not, however it is cut") func bytes() throws {
        let (start, end) = ("HTTP/1.1 200 ", "\r\nContent-Length: 0\r\n\r\n")
        let reason = String(repeating: "a", count: 65_536 - start.utf8.count - end.utf8.count)
        for parts in [[start + reason + end], [start, reason, end], [start + reason, end]] {
            #expect(try result(parts).codes == [200] && result(parts).defect == nil)
        }
        for parts in [[start + reason + "a" + end], [start, reason, "a" + end], [start + reason, "a", end]] {
            #expect(try result(parts).codes.isEmpty && result(parts).defect == .headTooLong(bound: 65_536))
        }
        // The same for a field and for an interim response, and for a head without an end.
        let field = "X: \(String(repeating: "a", count: 65_536))\r\n"
        #expect(try result(["HTTP/1.1 200 OK\r\n\(field)\r\n"]).codes.isEmpty)
        #expect(try result(["HTTP/1.1 103 \(reason)aaaaaaaaaaaaaaaaaaaaaa\r\n\r\n"]).codes.isEmpty)
        #expect(try result([start + reason, String(repeating: "a", count: 100)]).defect == .headTooLong(bound: 65_536))
    }

    @Test("The line of a chunk's size has a bound, and chunks have none") func chunks() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = "1000;a=b\r\n\(String(repeating: "a", count: 4_096))\r\n"
        let many = head + String(repeating: chunk, count: 100) + "0\r\n\r\n"
        #expect(try result([many]).defect == nil)
        #expect(try result(many.split(by: 1_000)).defect == nil)
        for line in ["1;", String(repeating: "0", count: 10)] {
            let endless = [head, chunk, line] + [String](repeating: String(repeating: "0", count: 1_000), count: 70)
            #expect(try result(endless).defect != nil)
        }
    }

    @Test("A body of any length is no head") func bodies() throws {
        let long = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
        let (codes, defect) = try result([long, String(repeating: "a", count: 1_000_000), ok])
        #expect(codes == [200, 200] && defect == nil)
    }
}

extension String {
    /// Pieces of `length` characters; the last may be shorter.
    fileprivate func split(by length: Int) -> [String] {
        var rest = self[...]
        var pieces: [String] = []
        while !rest.isEmpty {
            pieces.append(String(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }
}
