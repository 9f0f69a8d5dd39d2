import ServiceSockets
import Testing

@Suite struct ListenAddressTests {
    @Test("An address is written as it is read", arguments: ["127.0.0.1:3128", "127.1.2.3:0", "[::1]:8080"])
    func loopback(text: String) throws {
        let address = try ListenAddress(parsing: text)
        #expect("\(address)" == text)
        #expect(address.isLoopback)
    }

    @Test(
        "Other machines may reach these",
        arguments: ["0.0.0.0:1", "10.0.0.1:3128", "[::]:1", "[fe80::1]:1", "128.0.0.1:1"]
    )
    func others(text: String) throws {
        #expect(try !ListenAddress(parsing: text).isLoopback)
    }

    @Test(
        "A port is a number",
        arguments: ["127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536", "127.0.0.1:-1", "", "[::1]"]
    )
    func noPort(text: String) {
        #expect(throws: ListenAddressError.noPort(text)) { try ListenAddress(parsing: text) }
    }

    @Test(
        "A name is no address, and a relay does not guess",
        arguments: ["localhost:1", ":1", "*:1", "127.1:1", "::1:1"]
    )
    func noAddress(text: String) {
        #expect(throws: ListenAddressError.noAddress(text)) { try ListenAddress(parsing: text) }
    }
}
