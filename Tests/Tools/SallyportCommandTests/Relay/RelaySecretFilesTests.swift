import ClientAuthentication
import ClientDirectories
import Foundation
import LiveServers
import SwiftASN1
import Testing
import X509

@testable import SallyportCommand

/// The files of the relay that hold secrets.
@Suite(.inTurn) struct RelaySecretFilesTests {
    @Test("The accounts of a Secret of Kubernetes, behind links, are read again after it changed")
    func mountedAccounts() async throws {
        let folder = try StoreFolder()
        func mount(_ name: String, _ text: String) throws {
            try FileManager.default.createDirectory(
                at: folder.folder.appending(path: name),
                withIntermediateDirectories: true
            )
            _ = try folder.write(text, "\(name)/clients", mode: 0o400)
            try? FileManager.default.removeItem(atPath: folder.path("..data"))
            try FileManager.default.createSymbolicLink(atPath: folder.path("..data"), withDestinationPath: name)
        }
        try mount("..1", "me:{PLAIN}first")
        let clients = folder.path("clients")
        try FileManager.default.createSymbolicLink(atPath: clients, withDestinationPath: "..data/clients")
        let accounts = try AccountsFile(clients)
        #expect(accounts.schemes.count == 4)
        // Digest is offered, which needs passwords.
        try mount("..2", "you:{NT}\(String(repeating: "0", count: 32))")
        #expect(throws: AccountsFileError.self) { try accounts.reload() }
        try mount("..3", "you:{PLAIN}second")
        try accounts.reload()
        #expect(try await accounts.secret(of: ClientName("you")) != nil)
        // A target that others may read is refused, and the accounts stay.
        _ = try folder.write("me:{PLAIN}x", "..3/clients", mode: 0o644)
        #expect(throws: AccountsFileError.self) { try accounts.reload() }
        #expect(try await accounts.secret(of: ClientName("you")) != nil)
    }

    @Test("A key that others may read starts no relay") func openKey() throws {
        let folder = try StoreFolder()
        let key = try folder.write("-----BEGIN PRIVATE KEY-----", "key.pem", mode: 0o644)
        let certificate = try TestAuthority("Relay").own.certificate
        let pem = try certificate.serializeAsPEM().pemString
        let arguments = ["relay", "--no-store", "--parent", "a.example:1", "--listen", "https://127.0.0.1:0"]
        let files = ["--listen-certificate", try folder.write(pem, "chain.pem"), "--listen-key", key]
        let run = try SallyportRun(arguments + files)
        #expect(
            run.status == 2 && run.error.contains("key.pem: other users may use the file (mode 644): run chmod 600"),
            "\(run.error)"
        )
        #expect(run.error.split(separator: "\n").count == 1)
    }
}
