import Corpora
import Foundation
import LiveServers
import TestSupport
import Testing

@testable import ChainSources

@Suite(.inTurn) struct LiveClientOutputTests {
    @Test(
        "The output of the installed OpenSSL for a live connection is imported and validated",
        .enabled(if: NginxServer.isInstalled, "needs nginx and openssl: .ci/install brings them")
    )
    func showcerts() async throws {
        let server = try NginxServer()
        try server.rotate(host: "printed.example")
        let folder = try TemporaryFolder("sources")
        let path = try folder.write(
            try server.clientOutput(host: "printed.example"),
            "printed.example_\(server.port).txt"
        )
        var chains: [ImportedChain] = []
        let losses = try ImportFormat.openssl.forEachChain(in: path, ImportOptions()) { chains.append($0) }
        #expect(losses.count == 0)
        let chain = try #require(chains.first)
        #expect(chains.count == 1)
        #expect(chain.endpoint == RecordedEndpoint(host: "printed.example", port: server.port))
        let pem = try Data(contentsOf: URL(filePath: server.path("chain.pem")))
        #expect(try chain.presented == ImportFile.certificates([UInt8](pem), "chain.pem"))
        #expect(abs(chain.time - Int64(Date().timeIntervalSince1970)) < 600)
        let validator = try ChainValidator(roots: server.root())
        guard
            case .validated(let path) = await validator.validate(
                chain.presented,
                host: "printed.example",
                at: chain.time
            )
        else {
            Issue.record("it does not validate")
            return
        }
        #expect(try path == chain.presented + server.root())
    }
}
