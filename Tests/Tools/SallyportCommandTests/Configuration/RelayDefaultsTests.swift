import Foundation
import LiveServers
import ProfileFiles
import Testing

@testable import SallyportCommand

/// The files that give `sallyport relay` its options.
@Suite(.inTurn) struct RelayDefaultsTests {
    /// The arguments of a command line `arguments` with these files.
    private func arguments(_ arguments: [String], user: String? = nil, system: String? = nil) throws -> [String] {
        let folder = try StoreFolder()
        var places = RelayDefaults.Places(system: folder.path("system.yaml"), user: folder.path("user.yaml"))
        if let system { places.system = try folder.write(system, "system.yaml") }
        if let user { places.user = try folder.write(user, "user.yaml") }
        return try RelayDefaults(completing: arguments, places: places).arguments
    }

    @Test func theOptionsAreThoseOfTheHelp() throws {
        let options = try OptionTable(of: RelayCommand.self, without: RelayDefaults.ofCommandLine).options
        let help = try SallyportRun(["relay", "--help"]).output
        let named = Set(help.matches(of: /\n +(?:-., )?--([a-z0-9-]+)/).map { String($0.1) })
        #expect(Set(options.map(\.name)) == named.subtracting(RelayDefaults.ofCommandLine))
        let parent = try #require(options.first { $0.name == "parent" })
        #expect(parent.kind == .text && parent.isRepeating)
        let profile = try #require(options.first { $0.name == "profile" })
        #expect(profile.kind == .path && !profile.isRepeating)
        #expect(options.first { $0.name == "verbose" }?.kind == .flag)
        // A name of the option's value that says more than "file" would make a text of it.
        let files = ["cacert", "cert", "cert-key", "cert-passphrase-file", "pac", "profile"]
        #expect(files.allSatisfy { name in options.first { $0.name == name }?.kind == .path })
    }

    @Test func theUsersFileReplacesFieldsOfTheSystems() throws {
        let system = "parent: [s1, s2]\nbasic: true\nclients: 10.0.0.0/8"
        let user = "parent: u1\nbasic: false\nverbose: true"
        #expect(
            try arguments(["relay"], user: user, system: system)
                == ["relay", "--parent=u1", "--clients=10.0.0.0/8", "--verbose"]
        )
        #expect(
            try arguments(["relay"], system: system)
                == ["relay", "--parent=s1", "--parent=s2", "--basic", "--clients=10.0.0.0/8"]
        )
    }

    @Test func theCommandLineReplacesBoth() throws {
        let system = "parent: [s1, s2]\nmetrics: 127.0.0.1:1"
        #expect(
            try arguments(["relay", "--parent", "c1", "--metrics=127.0.0.1:2"], user: "parent: u1", system: system)
                == ["relay", "--parent", "c1", "--metrics=127.0.0.1:2"]
        )
    }

    @Test(
        "No file is read",
        arguments: [
            ["relay", "--no-config"], ["relay", "--help"], ["relay", "-h"], ["get", "http://a.example/"], [],
        ]
    )
    func unread(line: [String]) throws {
        #expect(try arguments(line, user: "unknown: 1", system: "unknown: 1") == line)
    }

    @Test func configStandsForBothFiles() throws {
        let folder = try StoreFolder()
        let file = try folder.write("parent: named", "named.yaml")
        for line in [["relay", "--config", file], ["relay", "--config=\(file)"]] {
            #expect(
                try arguments(line, user: "unknown: 1", system: "unknown: 1")
                    == ["relay", "--parent=named"] + line.dropFirst()
            )
        }
    }

    @Test("A relay without arguments serves by the user's file, and says so") func served() async throws {
        let parent = try await ScriptedServer { _ in .send(BasicParent.ok) }
        defer { parent.stop() }
        let folder = try StoreFolder()
        let place = folder.path("config/sallyport")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let yaml = "parent: \(parent.origin)\nlisten: 127.0.0.1:0\nno-store: true\n"
        let file = try folder.write(yaml, "config/sallyport/relay.yaml")
        let environment = ["XDG_CONFIG_HOME": folder.path("config")]
        let relay = try RunningRelay([], environment: environment, listens: false)
        #expect(relay.announcement.first == "listening on 127.0.0.1:\(relay.port), parent \(parent.origin)")
        #expect(try relay.get("http://a.example/") == (200, "ok"))
        #expect(
            try relay.log.hasPrefix("sallyport relay: defaults come from \(file): --no-config leaves them out\n")
        )
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
    }

    @Test(
        "An error is one line with the file and the line",
        arguments: [
            ("parent: a\nparnt: b", ":2: parnt: unknown field: remove it, or choose from parent, pac, "),
            ("parent: a\ncheck: http://a/", ":2: check: unknown field"),
            ("parent: http://jdoe:SECRET@a.example", ":1: parent: a name and password before '@'"),
        ]
    )
    func errors(yaml: String, text: String) throws {
        let folder = try StoreFolder()
        // The arguments of tests are printed.
        let file = try folder.write(yaml.replacing("SECRET", with: "hunter2"), "relay.yaml")
        let run = try SallyportRun(["relay", "--config", file])
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.error.hasPrefix("sallyport relay: \(file)\(text)"), "\(run.error)")
        #expect(run.error.split(separator: "\n").count == 1 && !run.error.contains("hunter2"))
    }

    @Test("A usage error that a file may have caused names the file") func usage() throws {
        let folder = try StoreFolder()
        let file = try folder.write("parent: a\nkerberos: true", "relay.yaml")
        let run = try SallyportRun(["relay", "--config", file, "--basic"])
        #expect(run.status == 2)
        #expect(
            run.error == "sallyport: A ticket answers, and no password: leave out --basic or --kerberos; "
                + "see sallyport relay --help; defaults come from \(file): --no-config leaves them out\n"
        )
        let both = try SallyportRun(["relay", "--config", file, "--no-config"])
        #expect(both.status == 2 && both.error.contains("--no-config reads no file"), "\(both.error)")
    }
}
