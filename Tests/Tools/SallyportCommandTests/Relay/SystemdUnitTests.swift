import Foundation
import LiveServers
import Testing

/// The units of `Data/Systemd`, and a relay that systemd's own tool starts at the first connection.
@Suite(.inTurn, .needs(.systemd)) struct SystemdUnitTests {
    private static let units: URL = {
        var folder = URL(filePath: #filePath)
        for _ in 0..<5 { folder.deleteLastPathComponent() }
        return folder.appending(path: "Data/Systemd")
    }()

    /// Writes the units into `folder`, with a program that every machine has, and returns the paths of service and socket.
    private func units(service: String, into folder: StoreFolder) throws -> [String] {
        for path in [service, "sallyport-relay.socket"] {
            let text = try String(contentsOf: Self.units.appending(path: path), encoding: .utf8)
            let name = URL(filePath: path).lastPathComponent
            try folder.write(text.replacing("/usr/bin/sallyport", with: "/bin/true"), name)
        }
        return [folder.path("sallyport-relay.service"), folder.path("sallyport-relay.socket")]
    }

    private func analyze(_ arguments: [String], runtime: String) throws -> SallyportRun {
        // systemd-analyze --user needs this folder, which exists only while the user is logged in.
        try SallyportRun(
            ["systemd-analyze"] + arguments,
            environment: ["XDG_RUNTIME_DIR": runtime],
            program: URL(filePath: "/usr/bin/env")
        )
    }

    @Test(
        "systemd-analyze finds nothing wrong in the units of the system and of a user",
        arguments: [("--system", "sallyport-relay.service"), ("--user", "User/sallyport-relay.service")]
    )
    func verified(manager: String, service: String) throws {
        let folder = try StoreFolder()
        let paths = try units(service: service, into: folder)
        let verify = try analyze(["verify", "--man=no", manager] + paths, runtime: folder.path("."))
        #expect(verify.status == 0 && !verify.error.contains("sallyport"), "\(verify.error)")
    }

    @Test("The service of the system has an exposure of at most 1.5 of 10") func exposure() throws {
        let folder = try StoreFolder()
        let paths = try units(service: "sallyport-relay.service", into: folder)
        let arguments = ["security", "--offline=true", "--threshold=15", paths[0]]
        let security = try analyze(arguments, runtime: folder.path("."))
        #expect(security.status == 0, "\(security.output.suffix(300))\(security.error)")
    }

    @Test("The arguments of the service are those of the command")
    func arguments() throws {
        let text = try String(contentsOf: Self.units.appending(path: "sallyport-relay.service"), encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ExecStart=/usr/bin/sallyport ") })
        let folder = try StoreFolder()
        // systemd puts the folder of the state in place of %S.
        let words = line.split(separator: " ").dropFirst().filter { $0 != "$RELAY" }
            .map { String($0).replacing("%S", with: folder.path("state")) }
        // Without the credential the store cannot be opened, which is found before anything listens.
        let run = try SallyportRun(words + ["--parent", "proxy.example:8080", "--listen", "127.0.0.1:0"])
        #expect(run.status == 2 && run.error.contains("store.key"), "\(run.error)")
    }

    @Test(
        "After step 2 of the page the service's user reads relay.yaml, not the key, and the relay has its parent",
        .needs(.namespaces)
    )
    func modes() throws {
        var root = Self.units
        for _ in 0..<2 { root.deleteLastPathComponent() }
        let page = root.appending(path: "Sources/Services/SallyportRelay/SallyportRelay.docc/SystemdService.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let step = try #require(
            text.split(separator: "\n2. ").last?.split(separator: "```sh\n")[1].split(separator: "```")[0]
        )
        let folder = try StoreFolder()
        // The page's commands as they stand, in a copy of /etc that only this name space has. The user is `nobody` of Debian.
        let script = """
            set -e
            umask 077
            mkdir "$1/etc" && chmod 755 "$1/etc" && cp -a /etc/. "$1/etc" && mount --bind "$1/etc" /etc
            rm -rf /etc/sallyport
            \(step)
            as_service() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
            as_service cat /etc/sallyport/relay.yaml >/dev/null && echo readable
            as_service cat /etc/sallyport/store.key >/dev/null 2>&1 || echo secret
            wc -c </etc/sallyport/store.key
            exec "$2" relay --no-store --listen 127.0.0.1:0
            """
        let command = ["unshare", "-m", "sh", "-c", script, "sh", folder.path("."), SallyportRun.executable.path]
        let relay = try HelperProcess(command, environment: ["XDG_CONFIG_HOME": "/dev/null"])
        let lines = try (0..<4).map { _ in try relay.readLine() }
        #expect(lines.prefix(3) == ["readable", "secret", "32"])
        #expect(lines[3].hasSuffix(", parent http://proxy.corp.example:8080"), "\(lines[3])")
    }

    @Test("A relay takes the sockets of systemd, answers the connection that started it, and says that it is ready")
    func activated() async throws {
        let parent = try await ScriptedServer { _ in .send(BasicParent.ok) }
        defer { parent.stop() }
        let port = try ServerPort.take()
        let folder = try StoreFolder()
        let notices = folder.path("notices")
        let reader = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            s.bind(sys.argv[1])
            print("ready", flush=True)
            while True: print(s.recv(4096).decode().split("\\n")[0], flush=True)
            """
        let listener = try HelperProcess(["python3", "-c", reader, notices])
        #expect(try listener.readLine() == "ready")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        // Without capabilities, as in the unit. A user who is not root has none.
        let unprivileged = geteuid() == 0 ? ["setpriv", "--bounding-set=-all"] : []
        let activation = ["systemd-socket-activate", "-l", "127.0.0.1:\(port)", "-E", "NOTIFY_SOCKET=\(notices)"]
        let relay = [SallyportRun.executable.path, "relay", "--no-store", "--parent", "\(parent.origin)"]
        process.arguments = ["--default-signal"] + unprivileged + activation + relay
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        // It says so when it listens. That the port answers would not show that: another program may have it.
        let line = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        try #require(line.hasPrefix("Listening on 127.0.0.1:\(port) "), "\(line)")
        let client = try ByteStream(port: port)
        try client.send(Array("GET http://a.example/ HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let head = String(decoding: try client.read(upTo: Array("\r\n\r\n".utf8)), as: UTF8.self)
        #expect(head.hasPrefix("HTTP/1.1 200"))
        #expect(try listener.readLine() == "READY=1")
        kill(process.processIdentifier, SIGHUP)
        #expect(try listener.readLine() == "RELOADING=1")
        #expect(try listener.readLine() == "READY=1")
        kill(process.processIdentifier, SIGTERM)
        #expect(try listener.readLine() == "STOPPING=1")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}
