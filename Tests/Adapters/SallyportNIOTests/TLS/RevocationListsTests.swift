import Crypto
import Foundation
import LiveServers
import Sallyport
import SwiftASN1
import TestLimits
import TestSupport
import Testing
import X509

@testable import SallyportNIO

/// Paths below authorities with lists that OpenSSL has made.
@Suite(.inTurn, .needs(.openssl)) struct RevocationListsTests {
    private let world: TLSWorld

    init() throws { world = try TLSWorld() }

    private static func lists(_ texts: String...) throws -> [RevocationList] {
        try texts.flatMap { try RevocationList.lists(in: Array($0.utf8)) }
    }

    /// A root with these uses of its key, and its identifier.
    private static func root(_ usage: KeyUsage?, hasKeyIdentifier: Bool = false) throws -> Keyed {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName("Root") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: Date() - 3600,
            notValidAfter: Date() + 86_400,
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                if let usage { Critical(usage) }
                if hasKeyIdentifier { SubjectKeyIdentifier(hash: .init(key.publicKey)) }
            },
            issuerPrivateKey: .init(key)
        )
        return Keyed(certificate: certificate, key: key)
    }

    @Test("Each list is judged as 'openssl verify -crl_check' does, and the refusal says why")
    func agreement() throws {
        let own = try Self.root(nil, hasKeyIdentifier: true)
        let leaf = try TestAuthority(issuing: own, as: "Root").leaf("wiki.example").certificate
        let (maker, stranger) = (try RevocationMaker(own), try RevocationMaker(Self.root(nil)))
        let (digits, date) = (leaf.serialDigits, RevocationMaker.date)
        let identified = ["authorityKeyIdentifier=keyid"]
        func defect(_ defect: RevocationListDefect) -> InvalidServer {
            .unusableRevocationList(issuer: "CN=Root", defect)
        }
        func revoked(_ reason: RevocationReason) -> InvalidServer {
            .revoked(subject: "CN=Leaf", date: date, reason)
        }
        let past = (this: "20260101000000Z", next: "20260201000000Z")
        let future = (this: "20980101000000Z", next: "20990101000000Z")
        let cases: [(String, InvalidServer?)] = [
            (try maker.list(), nil),
            (try maker.list([("01", "keyCompromise")], extensions: identified), nil),
            (try maker.list([(digits, "")]), revoked(.unspecified)),
            (try maker.list([("01", ""), (digits, "keyCompromise")], extensions: identified), revoked(.keyCompromise)),
            (try maker.list([(digits, "certificateHold")]), revoked(.certificateHold)),
            (try maker.list([(digits, "removeFromCRL")]), nil),
            (try maker.list(times: past), defect(.ended(nextUpdate: date + 31 * 86_400))),
            (try maker.list(times: future), defect(.notBegun(thisUpdate: 4_039_372_800))),
            (try stranger.list(), defect(.otherSignature)),
        ]
        for (index, (text, expected)) in cases.enumerated() {
            let found = RevocationLists(try Self.lists(text)).problem(
                of: [leaf, own.certificate],
                at: Self.now
            )
            #expect(found == expected, "case \(index)")
            #expect(try maker.opensslTakes(leaf, with: text) == (found == nil), "case \(index)")
        }
    }

    /// Read anew after each list is made: a list of a later second would be of the future.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    @Test("A certificate on a list that has ended is revoked; an authority that may sign no lists has none")
    func order() throws {
        for (usage, isGood) in [
            (KeyUsage(keyCertSign: true, cRLSign: true), true), (KeyUsage(keyCertSign: true), false),
        ] {
            let own = try Self.root(usage)
            let leaf = try TestAuthority(issuing: own, as: "Root").leaf("wiki.example").certificate
            let maker = try RevocationMaker(own)
            let path = [leaf, own.certificate]
            let clean = try maker.list()
            let found = RevocationLists(try Self.lists(clean)).problem(of: path, at: Self.now)
            #expect(found == (isGood ? nil : .unusableRevocationList(issuer: "CN=Root", .issuerMayNotSign)))
            #expect(try maker.opensslTakes(leaf, with: clean) == isGood)
            guard isGood else { continue }
            let old = try maker.list([(leaf.serialDigits, "superseded")], times: ("20260101000000Z", "20260201000000Z"))
            let revoked = InvalidServer.revoked(subject: "CN=Leaf", date: RevocationMaker.date, .superseded)
            #expect(RevocationLists(try Self.lists(clean, old)).problem(of: path, at: Self.now) == revoked)
        }
    }

    @Test("A list of another authority, or of another key that it names, checks nothing, and says so")
    func unused() throws {
        let (own, renewed) = (try Self.root(nil, hasKeyIdentifier: true), try Self.root(nil, hasKeyIdentifier: true))
        let leaf = try TestAuthority(issuing: own, as: "Root").leaf("wiki.example").certificate
        let identified = ["authorityKeyIdentifier=keyid"]
        let ofKey = try RevocationMaker(renewed).list([(leaf.serialDigits, "")], extensions: identified)
        let ofOther = try RevocationMaker(TestAuthority("Other").own).list([(leaf.serialDigits, "")])
        let lists = RevocationLists(try Self.lists(ofKey, ofOther))
        #expect(lists.issuers == ["CN=Other", "CN=Root"] && lists.unusedIssuers.isEmpty)
        #expect(lists.problem(of: [leaf, own.certificate], at: Self.now) == nil)
        #expect(lists.unusedIssuers == ["CN=Other", "CN=Root"])
        lists.replace(by: try Self.lists(RevocationMaker(own).list(), ofOther))
        #expect(lists.problem(of: [leaf, own.certificate], at: Self.now) == nil)
        #expect(lists.unusedIssuers == ["CN=Other"])
    }

    @Test(
        "No byte goes to a server whose certificate, or that of its issuer, is revoked; newer lists count at the next connection",
        .row(13)
    )
    func connections() async throws {
        let issuer = try world.root.authority("Issuer")
        let leaf = try issuer.leaf("wiki.example")
        let server = try await TLSTestServer.start(leaf, [issuer.own.certificate])
        var world = world
        // A trusted key does not make up for it.
        let host = try Hostname(parsing: "wiki.example")
        world.trustedKeys = [TrustedKey(host: host, pin: try leaf.pin, until: .max)]
        #expect(try await world.visit(server).answer == "ok")
        let (ofRoot, ofIssuer) = (try RevocationMaker(world.root.own), try RevocationMaker(issuer.own))
        let cases: [(String, String, InvalidServer?)] = [
            (try ofRoot.list(), try ofIssuer.list(), nil),
            (
                try ofRoot.list([(issuer.own.certificate.serialDigits, "CACompromise")]), try ofIssuer.list(),
                .revoked(subject: "CN=Issuer", date: RevocationMaker.date, .cACompromise)
            ),
            (
                try ofRoot.list(), try ofIssuer.list([(leaf.certificate.serialDigits, "")]),
                .revoked(subject: "CN=Leaf", date: RevocationMaker.date, .unspecified)
            ),
            (try ofRoot.list(), try ofIssuer.list(), nil),
        ]
        let connector = try world.connector()
        for (root, below, expected) in cases {
            world.settings.revocationLists.replace(by: try Self.lists(root, below))
            let exchange = try await TLSTestClient.exchange(connector, TLSWorld.wiki, port: server.port)
            #expect((exchange.answer == "ok") == (expected == nil), "\(exchange.errors)")
            guard let expected else { continue }
            guard case .serverNotValidated(_, expected, _)? = exchange.error else {
                Issue.record("\(exchange.errors)")
                continue
            }
        }
        // A library that makes its own connections could not check them.
        world.trustedKeys = []
        #expect(try world.connector().configuration(for: TLSWorld.wiki) == nil)
        world.settings.revocationLists.replace(by: [])
        #expect(try world.connector().configuration(for: TLSWorld.wiki) != nil)
    }
}
