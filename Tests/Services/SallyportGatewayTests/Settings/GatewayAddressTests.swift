import SallyportGateway
import ServiceSockets
import Testing

@Suite struct GatewayAddressTests {
    @Test(
        "An address is written as it is read",
        arguments: ["unix:/run/sallyport/gateway.sock", "unix:/a", "127.0.0.1:9191", "[::1]:0", "127.1.2.3:80"]
    )
    func round(text: String) throws {
        #expect("\(try GatewayAddress(parsing: text))" == text)
    }

    @Test(
        "Only programs of this machine may say who a client is",
        arguments: [
            ("0.0.0.0:9191", GatewayAddressError.notLoopback("0.0.0.0:9191")),
            ("10.0.0.1:1", .notLoopback("10.0.0.1:1")),
            ("[::]:1", .notLoopback("[::]:1")), ("https://127.0.0.1:1", .notLoopback("https://127.0.0.1:1")),
            ("unix:run/a", .relativePath("run/a")), ("unix:", .relativePath("")),
            ("unix:/a b", .path("/a b")), ("unix:/a;", .path("/a;")), ("unix:/a{", .path("/a{")),
            ("unix:/a:b", .path("/a:b")), ("unix:/a\u{E9}", .path("/a\u{E9}")), ("unix:/a\nb", .path("/a\nb")),
            ("localhost:1", .address(.noAddress("localhost:1"))), ("9191", .address(.noPort("9191"))),
        ]
    )
    func refusals(text: String, error: GatewayAddressError) {
        #expect(throws: error) { try GatewayAddress(parsing: text) }
    }

    @Test("A path has as many bytes as all systems take")
    func length() throws {
        let path = "/" + String(repeating: "a", count: 98)
        #expect(try GatewayAddress(parsing: "unix:" + path) == .socket(path: path))
        #expect(throws: GatewayAddressError.longPath(path + "a")) { try GatewayAddress(parsing: "unix:" + path + "a") }
    }
}
