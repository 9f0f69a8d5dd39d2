import Hostnames
import LiveServers
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A process that another test starts holds copies of all sockets until it runs its program.
@Suite(.inTurn) struct ServerPortTests {
    @Test("A copy of the socket that tried a port keeps no server from it")
    func copied() async throws {
        let port = try ServerPort.take()
        let copy = try #require(try ByteStream.bound(to: port, sharing: true))
        defer { close(copy) }
        let server = try await ScriptedServer(port: Int(port)) { _ in .close }
        defer { server.stop() }
        #expect(server.origin.port == port)
    }

    @Test("A port that a server listens on is not free")
    func listened() async throws {
        let server = try await ScriptedServer { _ in .close }
        defer { server.stop() }
        #expect(try ByteStream.bound(to: server.origin.port, sharing: true) == nil)
    }
}
