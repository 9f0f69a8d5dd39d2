import CredentialSources
import Foundation
import OAuth
import Secrets
import TestSupport
import Testing

@testable import ProfileFiles

/// Accounts whose tokens open ArcGIS servers.
@Suite struct ArcGISReaderTests {
    private func read(_ accounts: String) throws -> [ArcGISAccount] {
        let folder = TemporaryFolder.place("profile")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("Correct-Horse\n".utf8).write(to: folder.appending(path: "secret"))
        let file = folder.appending(path: "profile.yaml")
        let yaml = "version: 1\nsites: [\"*.acme.example\"]\nschemes: [bearer]\naccounts:\n\(accounts)"
        try Data(yaml.utf8).write(to: file)
        return try ProfileReader.contents(file, at: 0).tokenAccounts.compactMap { account in
            guard case .arcGIS(let account) = account else { return nil }
            return account
        }
    }

    private static let portal = """
          - name: portal
            sites: ["https://gis.acme.example/portal/"]
            arcgis:
              portal: https://gis.acme.example/portal/sharing/rest
              user: jdoe

        """
    private static let parcels = """
          - name: parcels
            sites: ["https://gis.acme.example/server/"]
            arcgis: { federated-with: portal, server: "https://gis.acme.example/server" }

        """

    @Test("A portal with and without a password, a federated server, a server that stands alone, and a token")
    func accounts() throws {
        // The federated one comes first, so the order does not matter.
        let all = try read(
            Self.parcels + Self.portal + """
                  - name: alone
                    sites: ["https://old.acme.example"]
                    cleartext: true
                    arcgis:
                      token-service: https://old.acme.example/arcgis/tokens/generateToken
                      user: jdoe
                      password: { file: secret }
                      referer: https://app.acme.example
                      minutes: 120
                  - name: made
                    sites: ["https://maps.acme.example"]
                    arcgis: { token: { file: secret }, ends: 2036-01-01T00:00:00Z }
                """
        )
        #expect(all.map(\.name) == ["parcels", "portal", "alone", "made"])
        guard case .federated(with: "portal", let server) = all[0].way, case .user("jdoe", password: nil) = all[1].way,
            case .user("jdoe", password: .some(.value(let password))) = all[2].way,
            case .token(_, let ends) = all[3].way
        else {
            Issue.record("\(all.map(\.way))")
            return
        }
        #expect(server.path == "/server" && password.count == 13 && ends == 2_082_758_400)
        #expect(
            all.map { $0.portal?.root.path } == ["/portal/sharing/rest", "/portal/sharing/rest", "/arcgis/tokens", nil]
        )
        #expect(all[1].client == .requestAddress && all[2].client == .referer("https://app.acme.example"))
        #expect(all[2].minutes == 120 && all[2].allowsCleartext && all[1].minutes == 60)
    }

    @Test(
        "What is wrong is named with its field",
        arguments: [
            ("      user: jdoe\n", "", "arcgis", "'user' is missing"),
            ("portal: https", "token-service: https://a.example\n      portal: https", "arcgis", "expected one of"),
            ("portal: https://gis.acme.example/portal/sharing/rest", "minutes: 5", "arcgis", "expected one of"),
            ("https://gis.acme.example/portal/sharing", "http://gis.acme.example", "arcgis.portal", "needs https"),
            ("user: jdoe", "user: jdoe\n      server: https://a.example", "arcgis.server", "no effect beside 'portal'"),
            ("user: jdoe", "user: jdoe\n      password: SECRET", "arcgis.password", "expected fields"),
            ("user: jdoe", "user: jdoe\n      minutes: 21601", "arcgis.minutes", "expected 1 to 21600"),
            ("user: jdoe", "user: jdoe\n      referer: a b", "arcgis.referer", "no blank"),
            ("arcgis:", "oauth: { client: app }\n    arcgis:", "arcgis", "unknown field"),
        ]
    )
    func errors(old: String, new: String, field: String, text: String) throws {
        let changed = new.replacing("SECRET", with: "Correct-Horse")
        let error = try #require(throws: ProfileFileError.self) {
            try read(Self.portal.replacing(old, with: changed))
        }
        #expect("\(error)".contains("accounts[0].\(field): ") && error.problem.contains(text), "\(error)")
        #expect(!"\(error)".contains("Correct-Horse"))
    }

    @Test("A federated server names an account of a portal", arguments: ["", Self.portal])
    func federated(portal: String) throws {
        let parcels = portal.isEmpty ? Self.parcels : Self.parcels.replacing("with: portal", with: "with: parcels")
        let error = try #require(throws: ProfileFileError.self) { try read(parcels + portal) }
        #expect("\(error)".contains("accounts[0].arcgis.federated-with: no account of this name"), "\(error)")
    }
}
