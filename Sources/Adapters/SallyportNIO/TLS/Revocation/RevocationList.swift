internal import SPKIPins
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The certificates that an authority has revoked: a whole certificate revocation list (CRL, RFC 5280 section 5).
///
/// ```swift
/// var settings = TLSSettings()
/// settings.revocationLists = RevocationLists(try RevocationList.lists(in: bytes))
/// ```
///
/// The bytes stay as they were signed, and a table finds their entries:
///
/// ```
/// bytes    the list in DER
/// entries  UInt32 × count   offset of an entry in `bytes`, in the order of the serial numbers: by length, then by bytes
/// ```
///
/// A list takes its own bytes and four for each entry. Reading one takes O(*n* log *n*), a lookup O(log *n*). The signature is checked once for each
/// key of an issuer.
public final class RevocationList: Sendable {
    /// The most bytes of a list, and of a text with lists in PEM. A million entries with reasons take 53 MB in DER and 72 MB in PEM.
    public static let mostBytes = 96 << 20
    /// The most keys whose check is remembered. An authority has one or two.
    private static let mostKeys = 8

    /// What a list says about a certificate.
    struct Entry: Equatable {
        /// When it was revoked, in seconds since 1970-01-01T00:00:00Z.
        let date: Int64
        let reason: RevocationReason
    }

    /// The name of the authority (RFC 4514).
    public let issuer: String
    /// When the list was made, in seconds since 1970-01-01T00:00:00Z.
    public let thisUpdate: Int64
    /// When the next list comes at the latest, in seconds since 1970-01-01T00:00:00Z. The list is not used after it.
    public let nextUpdate: Int64
    /// How many certificates are revoked.
    public var count: Int { entries.count }

    let name: X509.DistinguishedName
    private let bytes: [UInt8]
    private let entries: [UInt32]
    private let walk: RevocationListWalk
    private let algorithm: Certificate.SignatureAlgorithm
    /// Whether the signature is that of a key.
    private let checks = Mutex<[Certificate.PublicKey: Bool]>([:])

    /// Reads one list in DER, and nothing else. Its signature is not checked: its issuer is not known yet.
    ///
    /// - Throws: ``RevocationListError`` if the bytes are not a list in DER, and for lists that do not say by themselves which certificates of their issuer
    ///   are revoked: deltas, indirect ones, and those with an unknown critical extension.
    public init(parsing bytes: [UInt8]) throws(RevocationListError) {
        guard bytes.count <= Self.mostBytes else { throw .tooLarge(bytes: bytes.count, limit: Self.mostBytes) }
        let walk: RevocationListWalk
        let found: [UInt32]
        do throws(SPKIPins.CertificateError) {
            (walk, found) = try RevocationListWalk.walk(through: bytes)
        } catch {
            throw .unreadable(offset: error.offset)
        }
        if let refusal = walk.refusal { throw refusal }
        guard let nextUpdate = walk.nextUpdate else { throw .noNextUpdate }
        guard let algorithm = Self.algorithms[walk.algorithm] else { throw .otherAlgorithm(walk.algorithm) }
        guard let name = try? X509.DistinguishedName(derEncoded: DER.parse(bytes[walk.issuer])) else {
            throw .unreadable(offset: walk.issuer.lowerBound)
        }
        self.name = name
        issuer = "\(name)"
        thisUpdate = walk.thisUpdate
        self.nextUpdate = nextUpdate
        self.walk = walk
        self.algorithm = algorithm
        self.bytes = bytes
        entries = RevocationEntry.sorted(found, in: bytes)
    }

    /// The lists of a file: one in DER, or all in PEM (`X509 CRL`), at least one.
    public static func lists(in bytes: [UInt8]) throws(RevocationListError) -> [RevocationList] {
        guard bytes.count <= mostBytes else { throw .tooLarge(bytes: bytes.count, limit: mostBytes) }
        // No text begins with the tag of a SEQUENCE and a long length.
        if bytes.count > 1, bytes[0] == DERTag.sequence, bytes[1] >= 0x80 {
            return [try RevocationList(parsing: bytes)]
        }
        guard let blocks = try? PEMDocument.parseMultiple(pemString: String(decoding: bytes, as: UTF8.self)) else {
            throw .damagedPEM
        }
        var lists: [RevocationList] = []
        for block in blocks where block.discriminator == "X509 CRL" {
            lists.append(try RevocationList(parsing: block.derBytes))
        }
        guard !lists.isEmpty else { throw .noList }
        return lists
    }

    /// Why the list cannot be used at a time, in seconds since 1970-01-01T00:00:00Z; `nil` if it can.
    public func defect(at now: Int64) -> RevocationListDefect? {
        if now < thisUpdate { return .notBegun(thisUpdate: thisUpdate) }
        return nextUpdate < now ? .ended(nextUpdate: nextUpdate) : nil
    }

    /// The entry of a serial number, big-endian; `nil` if it is not on the list.
    ///
    /// - Complexity: O(log *n*).
    func entry(of serial: some Collection<UInt8>) -> Entry? {
        let wanted = RevocationEntry.contents(of: serial)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            let found = RevocationEntry.serial(at: Int(entries[middle]), in: bytes)
            if RevocationEntry.precedes(bytes[found], wanted[...]) { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count else { return nil }
        let start = Int(entries[low])
        guard bytes[RevocationEntry.serial(at: start, in: bytes)].elementsEqual(wanted) else { return nil }
        // It was read before. If it could not be, the certificate would still be on the list.
        return (try? RevocationListWalk.entry(at: start, in: bytes)) ?? Entry(date: thisUpdate, reason: .unspecified)
    }

    /// Whether the list says that it is signed with another key than the issuer's, as those of an authority that has changed its key do.
    func isOfOtherKey(than issuer: Certificate) -> Bool {
        guard let named = walk.keyIdentifier, let own = try? issuer.extensions.subjectKeyIdentifier else {
            return false
        }
        return !bytes[named].elementsEqual(own.keyIdentifier)
    }

    /// Whether the key has signed the list.
    func isSigned(by key: Certificate.PublicKey) -> Bool {
        if let known = checks.withLock({ $0[key] }) { return known }
        let isSigned = key.isValidSignature(
            bytes[walk.signature],
            for: bytes[walk.toBeSigned],
            signatureAlgorithm: algorithm
        )
        checks.withLock { if $0.count < Self.mostKeys { $0[key] = isSigned } }
        return isSigned
    }

    /// The algorithms of signatures that are checked. SHA-1 is not among them: a list could be made to fit the signature of another one.
    private static let algorithms: [String: Certificate.SignatureAlgorithm] = [
        "1.2.840.113549.1.1.11": .sha256WithRSAEncryption, "1.2.840.113549.1.1.12": .sha384WithRSAEncryption,
        "1.2.840.113549.1.1.13": .sha512WithRSAEncryption, "1.2.840.10045.4.3.2": .ecdsaWithSHA256,
        "1.2.840.10045.4.3.3": .ecdsaWithSHA384, "1.2.840.10045.4.3.4": .ecdsaWithSHA512, "1.3.101.112": .ed25519,
    ]
}

extension RevocationList: CustomStringConvertible {
    /// The issuer and the number of certificates.
    public var description: String { "list of \(issuer) with \(count) revoked certificates" }
}
