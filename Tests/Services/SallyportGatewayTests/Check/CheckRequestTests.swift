import HTTP1
import HTTPTypes
import Testing

@testable import SallyportGateway

@Suite struct CheckRequestTests {
    private static func read(_ lines: [String], from front: FrontProxy = .nginx) throws -> CheckRequest {
        let text = Array((["GET / HTTP/1.1", "Host: gateway"] + lines + ["", ""]).joined(separator: "\r\n").utf8)
        return try CheckRequest(RequestHead(parsing: text.span), text.span, from: front)
    }

    private static let nginx = [
        "X-Original-Method: POST", "X-Original-URI: /a?b=c", "X-Client-Address: 192.0.2.7", "X-Forwarded-Proto: https",
    ]

    @Test("nginx tells method, target, address and scheme")
    func nginx() throws {
        let request = try Self.read(Self.nginx + ["Authorization: Basic eDp5"])
        #expect(request.method == "POST" && request.target == "/a?b=c")
        #expect(request.address == "192.0.2.7" && request.isEncrypted)
        #expect(request.answers.map(\.value) == ["Basic eDp5"])
    }

    @Test("Caddy tells the same under other names; the last address is the one that it has seen itself")
    func caddy() throws {
        let request = try Self.read(
            [
                "X-Forwarded-Method: GET", "X-Forwarded-Uri: /", "X-Forwarded-For: 198.51.100.1, 192.0.2.7",
                "x-forwarded-proto: http",
                // nginx's names mean nothing here.
                "X-Original-Method: PUT", "X-Original-URI: /other", "X-Client-Address: 203.0.113.9",
            ],
            from: .caddy
        )
        #expect(request.method == "GET" && request.target == "/" && request.address == "192.0.2.7")
        #expect(!request.isEncrypted && request.answers.isEmpty)
    }

    @Test("Envoy's check has the method and the target of the client's request")
    func envoy() throws {
        let fields = ["X-Forwarded-For: 198.51.100.1,192.0.2.7", "X-Forwarded-Proto: https", "X-Forwarded-Uri: /other"]
        let text = Array((["DELETE /a?b HTTP/1.1", "Host: h"] + fields + ["", ""]).joined(separator: "\r\n").utf8)
        let request = try CheckRequest(RequestHead(parsing: text.span), text.span, from: .envoy)
        #expect(request.method == "DELETE" && request.target == "/a?b")
        #expect(request.address == "192.0.2.7" && request.isEncrypted)
    }

    @Test(
        "What the proxy has to tell and does not makes a check useless",
        arguments: [
            (0, CheckDefect.missing(.originalMethod)), (1, .missing(.originalTarget)),
        ]
    )
    func missing(line: Int, defect: CheckDefect) {
        var lines = Self.nginx
        lines.remove(at: line)
        #expect(throws: defect) { try Self.read(lines) }
        lines.insert(Self.nginx[line].prefix { $0 != ":" } + ":", at: line)
        #expect(throws: defect) { try Self.read(lines) }
    }

    @Test("Without an address or a scheme the client has none, and no TLS")
    func absent() throws {
        let request = try Self.read(Array(Self.nginx.prefix(2)))
        #expect(request.address == nil && !request.isEncrypted)
    }

    @Test(
        "A fact that comes twice may be the client's own",
        arguments: [
            ("x-original-method: GET", CheckDefect.doubled(.originalMethod)),
            ("X-ORIGINAL-URI: /a?b=c", .doubled(.originalTarget)),
            ("X-Client-Address: 192.0.2.7", .doubled(.clientAddress)),
            ("X-Forwarded-Proto: https", .doubled(.forwardedScheme)),
        ]
    )
    func doubled(line: String, defect: CheckDefect) {
        #expect(throws: defect) { try Self.read(Self.nginx + [line]) }
        #expect(throws: defect) { try Self.read([line] + Self.nginx) }
    }

    @Test("A status that nginx would turn into 500 becomes 403")
    func statuses() {
        #expect(
            [200, 204, 400, 401, 403, 429, 503].map(FrontProxy.nginx.status) == [200, 204, 403, 401, 403, 403, 403]
        )
        #expect([200, 400, 401, 403, 429, 503].map(FrontProxy.caddy.status) == [200, 400, 401, 403, 429, 503])
    }
}
