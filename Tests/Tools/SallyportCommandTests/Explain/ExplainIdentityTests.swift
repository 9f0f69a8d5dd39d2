import Crypto
import Foundation
import LiveServers
import SwiftASN1
import Testing
import X509

/// What `sallyport explain` tells of the client certificate: nginx asks for it or does not, and takes one authority or another.
@Suite(.inTurn, .serialized, .needs(.nginx)) struct ExplainIdentityTests {
    @Test(
        "The step says whether the certificate was presented, not asked for, or withheld, and why",
        arguments: ["presented", "not-asked", "withheld"]
    )
    func identity(word: String) async throws {
        let folder = try RequestFolder()
        let (root, clients) = (try TestAuthority("Root"), try TestAuthority("Clients"))
        let issuer = word == "withheld" ? try TestAuthority("Foreign") : clients
        let laptop = try issuer.leaf("x.example", changes: .init(uses: [.clientAuth], commonName: "laptop 7"))
        let nginx = try await NginxWithClients(
            root.leaf("localhost"),
            clients: clients.own.certificate,
            verify: word == "not-asked" ? "off" : "on"
        )
        try folder.write(root.own.certificate.serializeAsPEM().pemString, "root.pem")
        let text = try laptop.certificate.serializeAsPEM().pemString + "\n" + laptop.key.pemRepresentation + "\n"
        try folder.write(text, "laptop.pem")
        try folder.identityProfile("certificate: { file: laptop.pem }", for: nginx)
        let origin = "https://localhost:\(nginx.port)"
        let run = try await folder.live([
            "explain", "\(origin)/", "--profile", folder.path("profile.yaml"), "--cacert", folder.path("root.pem"),
            "--no-store", "--no-prompt", "--json",
        ])
        // nginx answers 400 where it demands a certificate and gets none.
        #expect(run.status == (word == "withheld" ? 1 : 0), "\(run.error)")
        let steps = try run.output.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        let step = try #require(steps.first { $0["step"] as? String == "identity" }, "\(run.output)")
        #expect(step["certificate"] as? String == word && step["origin"] as? String == origin)
        #expect(step["identities"] as? [[String: String]] == [["name": "laptop", "subject": "CN=laptop 7"]])
        #expect(step["refusal"] as? String == (word == "withheld" ? "issuer-not-accepted" : nil))
        let end =
            switch word {
            case "presented": "presented to \(origin)"
            case "not-asked": "not asked for by \(origin)"
            default:
                "withheld from \(origin), because the server accepts no issuer of 'laptop': use a certificate of an "
                    + "authority that it names"
            }
        #expect(step["text"] as? String == "'laptop' (CN=laptop 7) \(end)")
        let trust = steps.first { $0["step"] as? String == "trust" }?["text"] as? String
        #expect(
            trust?.hasSuffix("; the client certificate 'laptop' is presented if the server asks") == true,
            "\(trust ?? "")"
        )
    }
}
