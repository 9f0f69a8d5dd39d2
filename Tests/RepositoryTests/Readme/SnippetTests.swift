import AllowedSites
import Credentials
import Foundation
import HTTPAuthentication
import HTTPTypes
import Hostnames
import NTLM
import SPKIPins
import Sallyport
import Secrets
import Testing

@Suite struct SnippetTests {
    /// What the eye sees of a line: no indentation, one blank before a comment, nothing unused before a call.
    private static func normalised(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { line in
            let words = line.components(separatedBy: " ").filter { !$0.isEmpty }
            return words.joined(separator: " ").replacing("_ = trie", with: "trie")
        }.filter { !$0.isEmpty }
    }

    /// The modules that a file imports, or a snippet; the file says beside Foundation what Linux needs.
    private static func imports(_ lines: [String]) -> Set<Substring> {
        let modules = lines.filter { $0.hasPrefix("import ") }.map { $0.split(separator: " ")[1] }
        return Set(modules).subtracting(["FoundationNetworking"])
    }

    @Test("Every Swift snippet of README and the articles is compiled, word for word and with no other import")
    func snippetsAreCompiled() throws {
        let blocks = try Repository.pages().flatMap { $0.text.components(separatedBy: "```swift\n").dropFirst() }
        let folders = ["Tests/RepositoryTests/Readme", "Tests/SnippetProgram"]
        let files = try folders.flatMap { try Repository.swiftFiles(below: $0) }.filter { $0.file.contains("Snippet") }
            .map { Self.normalised($0.text) }
        #expect(blocks.count == 18)
        for block in blocks {
            let lines = Self.normalised(block.components(separatedBy: "```")[0])
            let snippet = lines.filter { !$0.hasPrefix("import ") }
            let places = files.flatMap { file in
                file.indices.filter { file[$0...].starts(with: snippet) }.map { _ in file }
            }
            #expect(places.count == 1, "\(snippet.first ?? "")")
            guard snippet.count < lines.count, let file = places.first else { continue }
            #expect(Self.imports(file) == Self.imports(lines), "\(snippet.first ?? "")")
        }
    }

    @Test func theHandlerAnswers() async throws {
        let path = Repository.root.appending(path: "Data/Recordings/corporate-day/secrets/jdoe").path
        var snippets = Snippets()
        let challenge = #"Digest realm="wiki", nonce="n", qop="auth", algorithm=SHA-256"#
        let responses: [Snippets.Response] = [
            .init(status: 401, fields: [.wwwAuthenticate: challenge]), .init(status: 200, fields: [:]),
        ]
        snippets.responses = responses.reversed()
        let (response, outcome) = try await snippets.decide(pathOfSecret: path)
        #expect(outcome == .accepted && response?.status == 200)
        #expect(snippets.sent.map(\.fields.count) == [0, 1])
        #expect(snippets.sent[1].fields[0].name == .authorization)
        snippets.responses = [.init(status: 200, fields: [:])]
        #expect(try await snippets.decide(pathOfSecret: path).1 == .notChallenged)
    }

    @Test func aReloadKnowsWhatWasRefused() throws {
        let request = ChallengedRequest(
            origin: try Origin(parsing: "https://wiki.acme.example"),
            method: "GET",
            target: "/"
        )
        let account = Account(
            name: "jdoe",
            user: "jdoe",
            password: SharedSecret(SecretBytes(copying: [UInt8]("secret".utf8).span))
        )
        let profile = SecurityProfile(
            sites: try SiteList(parsing: "*.acme.example", name: "sites"),
            schemes: [.basic],
            accounts: [.init(account, sites: ["*.acme.example"])]
        )
        let handler = try ChallengeHandler(profile: profile, at: 0)
        var exchange = handler.exchange(for: request)
        let fields: HTTPFields = [.wwwAuthenticate: "Basic realm=x"]
        for _ in 0..<2 { _ = exchange.received(status: 401, fields: fields) }
        let successor = try Snippets.reload(profile, after: handler)
        var next = successor.exchange(for: request)
        #expect(next.received(status: 401, fields: fields) == .withhold(.budgetSpent(account: "jdoe")))
    }

    @Test func theSitesAreWhatTheCommentsSay() throws {
        let trie = try Snippets.sites()
        #expect(trie.verdict(forURL: "https://wiki.acme.example/").isAllowed)
        #expect(!trie.verdict(forURL: "https://evilacme.example/").isAllowed)
        #expect(!trie.verdict(forURL: "https://quarantine.acme.example/").isAllowed)
        #expect(trie.verdict(forURL: "http://proxy.acme.example:3128/").isAllowed)
    }

    @Test func bothSidesOfAHandshakeAgree() throws {
        let now = FileTime(unixSeconds: 1_700_000_000)
        let hash = try NTHash(password: "secret")
        let visitor = try Snippets.handshake(password: "secret", hashes: ["ada": hash], now: now)
        #expect(visitor.user == "ada" && visitor.domain == "ACME")
        #expect(throws: ServerHandshakeError.rejected) {
            try Snippets.handshake(password: "guess", hashes: ["ada": hash], now: now)
        }
    }

    @Test func aForeignKeyIsAMismatch() throws {
        // Not a certificate at all: it has no pin, so it cannot match one.
        guard case .mismatched = try Snippets.pins(derCertificates: [[0x30, 0x00]], unixSeconds: 0) else {
            Issue.record("a chain without the pinned key was trusted")
            return
        }
    }

    @Test("The table of peers is the one of the newest report") func peersAreThoseOfTheNewestReport() throws {
        let reports = "Benchmarks/Reports"
        let folder = Repository.root.appending(path: reports).path
        // Names of reports of peers begin with the date.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".md") && $0.hasPrefix("20") }
        let newest = try #require(names.max())
        let lines = try Repository.text("\(reports)/\(newest)").split(separator: "\n")
        let heading = try #require(lines.firstIndex(of: "## In short"))
        let table = lines[(heading + 1)...].prefix { $0.hasPrefix("|") }
        #expect(table.count > 2)
        let page = try Repository.text("Sources/Handling/Sallyport/Sallyport.docc/GuardingPerformance.md")
        #expect(page.contains(table.joined(separator: "\n")), "the table of \(newest) is not in GuardingPerformance.md")
        #expect(page.contains(newest))
    }

    @Test("README has at most 150 lines, and its links lead to files") func readme() throws {
        let readme = try Repository.text("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
        let links = readme.matches(of: /\]\(([^)]+)\)/).map { String($0.output.1) }.filter { !$0.hasPrefix("http") }
        #expect(links.count > 7)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: Repository.root.appending(path: link).path), "\(link)")
        }
    }

    @Test("The page about the architecture names every target of Sources") func wingsAreComplete() throws {
        let page = try Repository.text("Sources/Handling/Sallyport/Sallyport.docc/Architecture.md")
        let others: Set = ["benchmarks", "programs", "peers", "tests"]
        let targets = try Repository.text("Package.swift").matches(of: /(\w+)\.(?:library|cLibrary|program)\("(\w+)"/)
            .filter { !others.contains(String($0.output.1)) }.map(\.output.2)
        #expect(targets.count > 20)
        for target in targets { #expect(page.contains("`\(target)`"), "\(target)") }
    }
}
