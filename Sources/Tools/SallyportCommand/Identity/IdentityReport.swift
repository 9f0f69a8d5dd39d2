internal import ClientCertificates
internal import Credentials
internal import OfflineVerbs
internal import SPKIPins
internal import WireFormat

/// What a person is told of an identity. It holds no part of the key.
struct IdentityReport {
    /// Why a server may refuse the identity, or why it is not safe.
    enum Warning: String {
        case expired
        case notYetValid = "not-yet-valid"
        case expiresSoon = "expires-soon"
        case notForClients = "not-for-clients"
        case oldEncryption = "old-encryption"
        case notEncrypted = "not-encrypted"
        case noIssuer = "no-issuer"
    }

    /// The days before the end in which it is warned of.
    static let warningDays: Int64 = 30

    let warnings: [Warning]
    private let identity: KeyedIdentity
    private let chain: [CertificateDetails]
    private let uses: CertificateUses

    init(of identity: KeyedIdentity, now: Int64) throws {
        self.identity = identity
        chain = try identity.identity.certificateChain.map { certificate in
            try CertificateDetails(of: certificate.span)
        }
        let certificate = identity.identity.certificateChain[0]
        uses = try CertificateUses(of: certificate.span)
        var warnings: [Warning] = []
        if now > identity.notAfter {
            warnings.append(.expired)
        } else if now < identity.notBefore {
            warnings.append(.notYetValid)
        } else if identity.notAfter - now < Self.warningDays * 86_400 {
            warnings.append(.expiresSoon)
        }
        if !uses.allowClientAuthentication { warnings.append(.notForClients) }
        if let form = identity.form {
            if form.encryptions.contains(where: \.isOld) { warnings.append(.oldEncryption) }
            if form.encryptions.isEmpty { warnings.append(.notEncrypted) }
        }
        // A self-signed certificate has itself as its issuer.
        if chain.count == 1, chain[0].issuer != chain[0].subject { warnings.append(.noIssuer) }
        self.warnings = warnings
    }

    private var leaf: CertificateDetails { chain[0] }
    private var serial: String {
        let number = leaf.serial
        return Hexadecimal.encode(number.span)
    }

    private func sentence(_ warning: Warning) -> String {
        switch warning {
        case .expired: "it expired on \(Timestamp.text(unixSeconds: leaf.notAfter)): renew it"
        case .notYetValid:
            "it is not valid before \(Timestamp.text(unixSeconds: leaf.notBefore)): check the clock, or wait"
        case .expiresSoon: "it expires on \(Timestamp.text(unixSeconds: leaf.notAfter)): renew it"
        case .notForClients: "its extensions do not allow clients to use it: ask the authority for one with clientAuth"
        case .oldEncryption: "the file is encrypted as in the 1990s: export it again with AES-256 and SHA-256"
        case .notEncrypted: "the key is not encrypted: whoever copies the file has it; import it, and remove the file"
        case .noIssuer: "the file has no certificate of the issuer: servers that know only the root may refuse it"
        }
    }

    private var encryption: String {
        guard let form = identity.form else { return "" }
        guard !form.encryptions.isEmpty else { return "not encrypted" }
        return form.encryptions.map { "\($0.name), \($0.iterations.counted("iteration"))" }.joined(separator: "; ")
    }

    /// Lines for a person.
    var text: String {
        var lines = [
            ("subject", leaf.subject.inOneLine), ("issuer", leaf.issuer.inOneLine), ("serial", serial),
            (
                "valid",
                "\(Timestamp.text(unixSeconds: leaf.notBefore)) to \(Timestamp.text(unixSeconds: leaf.notAfter))"
            ),
            ("key", "\(identity.key.kind)"), ("pin", "\(leaf.pin)"),
            ("uses", uses.keyUsage?.joined(separator: ", ") ?? "any"),
            ("purposes", uses.purposes?.map(Self.purpose).joined(separator: ", ") ?? "any"),
        ]
        lines += chain.dropFirst().map { ("chain", $0.subject.inOneLine) }
        if let form = identity.form { lines.append(("file", "\(form.container.rawValue), \(encryption)")) }
        lines += warnings.map { ("warning", sentence($0)) }
        return lines.map { name, value in
            name + String(repeating: " ", count: 10 - name.count) + value + "\n"
        }.joined()
    }

    /// One object, without a line ending.
    var json: JSONValue {
        let encryptions = (identity.form?.encryptions ?? []).map { encryption in
            JSONValue.object([
                ("name", .string(encryption.name)), ("iterations", .integer(UInt64(encryption.iterations))),
            ])
        }
        return .object([
            ("subject", .string(leaf.subject)), ("issuer", .string(leaf.issuer)), ("serial", .string(serial)),
            ("not_before", .string(Timestamp.text(unixSeconds: leaf.notBefore))),
            ("not_after", .string(Timestamp.text(unixSeconds: leaf.notAfter))),
            ("key", .string("\(identity.key.kind)")), ("spki_sha256", .string(leaf.pin.base64Text)),
            ("key_usage", uses.keyUsage.map { .array($0.map(JSONValue.string)) } ?? .null),
            ("extended_key_usage", uses.purposes.map { .array($0.map(JSONValue.string)) } ?? .null),
            ("chain", .array(chain.dropFirst().map { .string($0.subject) })),
            ("form", JSONValue(identity.form?.container.rawValue)), ("encryption", .array(encryptions)),
            ("warnings", .array(warnings.map { .string($0.rawValue) })),
        ])
    }

    /// The names of RFC 5280 4.2.1.12; others are shown as identifiers.
    private static func purpose(_ identifier: String) -> String {
        switch identifier {
        case "1.3.6.1.5.5.7.3.1": "serverAuth"
        case CertificateUses.clientAuthentication: "clientAuth"
        case "1.3.6.1.5.5.7.3.3": "codeSigning"
        case "1.3.6.1.5.5.7.3.4": "emailProtection"
        case CertificateUses.anyPurpose: "any"
        default: identifier
        }
    }
}
