import Crypto
import Foundation
import LiveServers
import SwiftASN1
import Testing
import X509

/// The end of a relay that reads its profile.
@Suite(.inTurn) struct EndingReloadTests {
    @Test(
        "SIGTERM ends a relay whose reload waits for a program, or for the writer of a pipe",
        arguments: [false, true]
    )
    func ended(byPipe: Bool) throws {
        let folder = try RequestFolder()
        let laptop = try TestAuthority("Clients").leaf("x.example", changes: .init(uses: [.clientAuth]))
        try folder.write(laptop.certificate.serializeAsPEM().pemString, "laptop.pem")
        try folder.write(laptop.key.pemRepresentation, "laptop.key")
        func write(_ place: String) throws {
            let profile = """
                version: 1
                sites: ["localhost:1"]
                schemes: [basic]
                identities:
                  - name: laptop
                    \(place)
                    sites: ["localhost:1"]
                """
            try folder.write(profile, "profile.yaml")
        }
        try write("certificate: { file: laptop.pem, key: laptop.key }")
        let relay = try RunningRelay(
            ["--map", "127.0.0.1:0=https://localhost:1", "--no-store", "--profile", folder.path("profile.yaml")],
            environment: folder.environment,
            lines: 1,
            listens: false
        )
        let (pipe, started) = (folder.path("pipe"), folder.path("started"))
        if byPipe {
            #expect(unsafe mkfifo(pipe, 0o600) == 0)
            try write("certificate: { file: laptop.pem, key: laptop.key, passphrase: { file: pipe } }")
        } else {
            try folder.write("#!/bin/sh\n: > '\(started)'\nexec sleep 600\n", "enrol", mode: 0o700)
            try write("command: ['\(folder.path("enrol"))']")
        }
        relay.send(SIGHUP)
        var writer: Int32 = -1
        defer { if writer >= 0 { close(writer) } }
        try blockUntil("the reload waits") {
            guard byPipe else { return FileManager.default.fileExists(atPath: started) }
            // Only after the relay has opened it.
            writer = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
            return writer >= 0
        }
        relay.send(SIGTERM)
        #expect(relay.end() == 0)
        // It would say that the program or the writer took too long.
        let log = try relay.log
        #expect(!log.contains("SIGHUP"), "\(log)")
    }
}
