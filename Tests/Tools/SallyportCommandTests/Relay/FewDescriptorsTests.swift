#if os(Linux)
    import Foundation
    import Hostnames
    import LiveServers
    import Testing

    /// A relay that has few descriptors, or none left.
    @Suite(.inTurn) struct FewDescriptorsTests {
        private static func relay(_ parent: ScriptedServer, descriptors: Int? = nil) throws -> RunningRelay {
            try RunningRelay(
                ["--parent", "127.0.0.1:\(parent.origin.port)", "--no-store"],
                descriptors: descriptors
            )
        }

        /// A core that is used up costs a hundred ticks a second; on a machine with much to do it is less, which passes.
        private static func expectIdle(_ relay: RunningRelay) async throws {
            let before = try relay.processorTicks
            try await Task.sleep(for: .seconds(1))
            let spent = try relay.processorTicks - before
            #expect(spent < 30, "\(spent) ticks")
        }

        @Test("Clients beyond half of the limit wait to be accepted; the relay costs no core, and serves them later")
        func manyClients() async throws {
            let parent = try await ScriptedServer { _ in .send(BasicParent.ok) }
            defer { parent.stop() }
            let relay = try Self.relay(parent, descriptors: 128)
            var idle = try (0..<200).map { _ in try ByteStream(port: relay.port) }
            // Those that are accepted answer.
            let first = idle[0]
            try first.send(Array("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(String(decoding: try first.read(upTo: Array("ok".utf8)), as: UTF8.self).contains(" 200 "))
            try relay.waitForLog("no more clients are accepted")
            try await Self.expectIdle(relay)
            #expect(try relay.openDescriptors <= 128 / 2 + 40)
            idle = []
            #expect(try relay.get("http://a.example/") == (200, "ok"))
            #expect(try !relay.log.contains("cannot be reached"))
        }

        @Test("Without a descriptor for the parent the client is told so, and the parent does not rest")
        func noDescriptor() async throws {
            // Each request needs a connection of its own, and that of the client is kept.
            let parent = try await ScriptedServer { _ in
                .send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            }
            defer { parent.stop() }
            let relay = try RunningRelay(
                ["--parent", "127.0.0.1:\(parent.origin.port)", "--no-store", "--metrics", "127.0.0.1:0"],
                lines: 4
            )
            let client = try ByteStream(port: relay.port)
            func head() throws -> String {
                try client.send(Array("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                return String(decoding: try client.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
            }
            #expect(try head().contains(" 200 "))
            _ = try client.read(count: 2)
            try relay.limitDescriptors(to: 3)
            let refused = try head()
            #expect(refused.hasPrefix("HTTP/1.1 503 ") && refused.contains("descriptors"), "\(refused)")
            try relay.waitForLog("LimitNOFILE")
            let waiting = try ByteStream(port: relay.port)
            try relay.waitForLog("no more clients are accepted")
            try await Self.expectIdle(relay)
            try relay.limitDescriptors(to: 1024)
            try waiting.send(Array("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            #expect(String(decoding: try waiting.read(upTo: Array("ok".utf8)), as: UTF8.self).contains(" 200 "))
            #expect(try relay.get("http://a.example/") == (200, "ok"))
            #expect(try !relay.log.contains("cannot be reached"))
            // They are counted apart from what parents do.
            let metrics = try #require(relay.announcement.last?.split(separator: ":").last?.prefix { $0.isNumber })
            let operation = try ByteStream(port: try #require(UInt16(metrics)))
            try operation.send(Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            _ = try operation.read(upTo: Array("\nsallyport_relay_failovers_total 0\n".utf8))
            _ = try operation.read(upTo: Array("\nsallyport_relay_shortages_total ".utf8))
            // One of the parent's connection, and at least one of the client's.
            #expect(try #require(Int(operation.readLine())) >= 2)
        }
    }

    extension RunningRelay {
        /// The time of processors that it has used, in hundredths of a second.
        var processorTicks: Int {
            get throws {
                let text = try String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
                // proc(5): the 14th and 15th field; the second one is in parentheses and may have blanks.
                let fields = text.drop { $0 != ")" }.split(separator: " ")
                return (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0)
            }
        }

        var openDescriptors: Int {
            get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd").count }
        }

        /// Sets the limit of the running process.
        func limitDescriptors(to count: Int) throws {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/prlimit")
            process.arguments = ["--pid", "\(processID)", "--nofile=\(count):"]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw PeerFailure(what: "prlimit failed") }
        }
    }
#endif
