import Foundation
import LiveServers
import TestSupport
import Testing

@testable import SallyportRelay

/// Notices to a socket that Python reads, and variables of sd_listen_fds.
@Suite(.inTurn, .needs(.python)) struct ServiceNoticeTests {
    private static let reader = """
        import socket, sys
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind(sys.argv[1].replace("@", "\\0", 1))
        print("ready", flush=True)
        for _ in sys.stdin:
            print(s.recv(4096).decode().replace("\\n", " "), flush=True)
        """

    @Test("Each notice is one datagram", arguments: [false, true])
    func sent(isAbstract: Bool) throws {
        let name = isAbstract ? "@sallyport-\(UUID())" : TemporaryFolder.place("notices").path
        defer { if !isAbstract { try? FileManager.default.removeItem(atPath: name) } }
        let helper = try HelperProcess(["python3", "-c", Self.reader, name])
        #expect(try helper.readLine() == "ready")
        #expect(ServiceNotice.ready.send(to: name))
        #expect(try helper.ask("") == "READY=1")
        #expect(ServiceNotice.stopping.send(to: name))
        #expect(try helper.ask("") == "STOPPING=1")
        #expect(ServiceNotice.reloading.send(to: name))
        let words = try helper.ask("").split(separator: " ")
        #expect(words[0] == "RELOADING=1" && words[1].hasPrefix("MONOTONIC_USEC="))
        // CLOCK_MONOTONIC of Linux counts from the start, as /proc/uptime does without sleep.
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8).prefix { $0 != "." }
        let seconds = (UInt64(words[1].dropFirst(15)) ?? 0) / 1_000_000
        #expect(abs(Int(seconds) - Int(uptime)!) < 60)
    }

    @Test(
        "Without a socket nothing happens",
        arguments: [nil, "", "relative", "/nowhere/at/all", "@" + String(repeating: "n", count: 200)]
    )
    func nowhere(socket: String?) { #expect(!ServiceNotice.ready.send(to: socket)) }

    @Test(
        "Sockets are taken by the process that they are for, and only if the numbers are numbers",
        arguments: [
            (nil, nil, nil), (nil, "1", nil), ("7", nil, nil), ("8", "1", nil), ("7", "0", nil),
            ("x", "1", ActivationError.variable("LISTEN_PID")), ("7", "x", .variable("LISTEN_FDS")),
            ("7", "-1", .variable("LISTEN_FDS")), ("7", "17", .variable("LISTEN_FDS")),
        ] as [(String?, String?, ActivationError?)]
    )
    func variables(id: String?, count: String?, error: ActivationError?) {
        var found: ActivationError?
        do throws(ActivationError) {
            let sockets = try ActivationSockets.adopt({ $0 == "LISTEN_PID" ? id : count }, process: 7)
            #expect(sockets.isEmpty)
        } catch {
            found = error
        }
        #expect(found == error)
    }
}
