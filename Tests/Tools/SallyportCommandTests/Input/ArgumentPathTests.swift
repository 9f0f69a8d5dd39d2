import Foundation
import LiveServers
import TestSupport
import Testing
import WireFormat

/// Files whose names are not UTF-8: `\351` is é in Latin-1.
@Suite(.inTurn) struct ArgumentPathTests {
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = TemporaryFolder.place("names")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private static func names(_ folder: URL) throws -> Set<[UInt8]> {
        Set(try FileReading.names(inFolder: folder.path).map(SystemPath.bytes))
    }

    private static let name: [UInt8] = Array("caf".utf8) + [0xE9]

    /// What is written at a place of bytes.
    private static func place(_ folder: URL) -> String { SystemPath.text(Array(folder.path.utf8) + [0x2F] + name) }

    @Test("sites compile and sites match take the file of these bytes, and make no other")
    func sites() throws {
        try inFolder { folder in
            try Data("ok.example\n".utf8).write(to: folder.appending(path: "rules"))
            let compiled = try SallyportRun(
                shell: #"exec "$SALLYPORT" sites compile rules -o "$(b 'caf\351')""#,
                in: folder
            )
            #expect(compiled.status == 0, "\(compiled.error)")
            #expect(compiled.output.hasPrefix(#"caf\xe9: 1 rule, "#))
            #expect(try Self.names(folder) == [Array("rules".utf8), Self.name])
            let again = try SallyportRun(
                shell: #"exec "$SALLYPORT" sites compile rules -o "$(b 'caf\351')""#,
                in: folder
            )
            #expect(again.status == 0, "\(again.error)")
            for option in ["--image", "--list"] {
                let script =
                    #"test \#(option) = --image || cp rules "$(b 'caf\351')"; "#
                    + #"exec "$SALLYPORT" sites explain \#(option) "$(b 'caf\351')" https://ok.example/"#
                let run = try SallyportRun(shell: script, in: folder)
                #expect(run.status == 0 && run.output.contains("allowed by"), "\(run.error)")
            }
            // The image does not replace its own list under another spelling of the path.
            let own = try SallyportRun(
                shell: #"exec "$SALLYPORT" sites compile "$(b 'caf\351')" -o "$(b './caf\351')""#,
                in: folder
            )
            #expect(own.status == 2 && own.error.contains("this is one of the lists"))
        }
    }

    @Test("The error shows a name that cannot be read, and no repaired name is tried")
    func absent() throws {
        try inFolder { folder in
            // What a repair would name.
            try Data("ok.example\n".utf8).write(to: folder.appending(path: "caf\u{FFFD}"))
            for arguments in [
                "sites match --list", "replay", "study", "study merge", "study --policy", "pins extract", "ntlm decode",
                "study import pem --out new", "pins audit", "replay --profile", "sites match --image",
            ] {
                let run = try SallyportRun(shell: #"exec "$SALLYPORT" \#(arguments) "$(b 'caf\351')""#, in: folder)
                #expect(run.status == 2 && run.output.isEmpty, "\(arguments): \(run.error)")
                #expect(run.error.split(separator: "\n").count == 1, "\(arguments): \(run.error)")
                // What `ntlm decode` reads may be a secret, so that its place is shown in its stead.
                let named = arguments.hasPrefix("ntlm") ? "argument 3 is not UTF-8" : #"caf\xe9"#
                #expect(run.error.contains(named), "\(arguments): \(run.error)")
            }
        }
    }

    @Test("Recordings in a folder of these bytes, inside of one of these bytes")
    func recordings() throws {
        try inFolder { folder in
            try Data(PinsRun.chain(["leaf"]).utf8).write(to: folder.appending(path: "leaf.example.pem"))
            let script = #"""
                mkdir "$(b 'caf\351')" && cp leaf.example.pem "$(b 'caf\351')/$(b '\377.pem')" && cd "$(b 'caf\351')" || exit 9
                "$SALLYPORT" study import pem "$(b '\377.pem')" --host leaf.example --at 2026-12-01T00:00:00Z --out "$(b 'o\351')" &&
                "$SALLYPORT" study import pem .. --at 2026-12-02T00:00:00Z --out "$(b 'o\351')"
                "$SALLYPORT" study "$(b 'o\351')"
                """#
            let run = try SallyportRun(shell: script, in: folder)
            #expect(run.output.components(separatedBy: "1 chain imported").count == 3, "\(run.error)")
            #expect(run.error.contains(#"appending to the recording in o\xe9"#))
            #expect(run.status == 2 && run.error.contains(#"/caf\xe9/o\xe9: no genuine, validated chain in it"#))
            let place = Self.place(folder)
            #expect(
                try Set(FileReading.names(inFolder: place).map(SystemPath.bytes)) == [
                    [0x6F, 0xE9], [0xFF] + Array(".pem".utf8),
                ]
            )
            #expect(
                try FileReading.start(
                    of: place + "/" + SystemPath.text([0x6F, 0xE9]) + "/observations.ndjson",
                    count: 1 << 16
                )
                .count(where: { $0 == 0x0A }) == 2
            )
            #expect(try Self.names(folder) == [Array("leaf.example.pem".utf8), Self.name])
        }
    }

    @Test("Pins, partial studies, pages and profiles")
    func others() throws {
        try inFolder { folder in
            try Data(PinsRun.chain().utf8).write(to: folder.appending(path: "chain"))
            let script = #"""
                set -e
                cp chain "$(b 'c\351')"
                "$SALLYPORT" pins extract "$(b 'c\351')" | head -1
                "$SALLYPORT" pins convert --from curl --host leaf.example --image "$(b 'p\351')" - </dev/null || true
                "$SALLYPORT" study --strategy leaf-key --latency-rounds 0 --resamplings 0 --partial "$(b 's\351')"
                "$SALLYPORT" study merge --html "$(b 'h\351')" "$(b 's\351')" | head -1
                "$SALLYPORT" replay --profile "$(b 'y\351')"
                """#
            let run = try SallyportRun(shell: script, in: folder)
            #expect(run.output.hasPrefix("sha256/\(PinsRun.leaf)\npublic sites"), "\(run.output) \(run.error)")
            #expect(run.error.contains(#"/y\xe9: cannot be read (No such file or directory)"#))
            #expect(try Self.names(folder) == [Array("chain".utf8), [0x63, 0xE9], [0x73, 0xE9], [0x68, 0xE9]])
        }
    }

    @Test("A user or domain that is not UTF-8 is refused, and not shown")
    func users() throws {
        try inFolder { folder in
            let run = try SallyportRun(
                shell: #"exec "$SALLYPORT" ntlm respond --challenge TlRM --user "$(b 'caf\351')""#,
                in: folder
            )
            #expect(run.status == 2 && run.output.isEmpty)
            #expect(run.error == "sallyport ntlm: argument 6 is not UTF-8: write it in UTF-8\n")
        }
    }

    @Test("The next compile removes the files of a killed one")
    func leftOver() throws {
        try inFolder { folder in
            let rules = (0..<20_000).map { "host\($0).example\n" }.joined()
            try Data(rules.utf8).write(to: folder.appending(path: "rules"))
            // A file may have a block and no more: the system ends the command in the middle of its writing.
            let killed = try SallyportRun(
                shell: #"ulimit -f 1; "$SALLYPORT" sites compile rules -o image >/dev/null 2>&1; exit $?"#,
                in: folder
            )
            #expect(killed.status != 0)
            #expect(try Self.names(folder).count == 2)
            let run = try SallyportRun(shell: #"exec "$SALLYPORT" sites compile rules -o image"#, in: folder)
            #expect(run.status == 0)
            #expect(try Self.names(folder) == [Array("rules".utf8), Array("image".utf8)])
        }
    }
}
