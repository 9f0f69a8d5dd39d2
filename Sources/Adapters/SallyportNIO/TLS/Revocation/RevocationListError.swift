internal import WireFormat

/// Why a revocation list cannot be used.
public enum RevocationListError: Error, Equatable, Sendable {
    /// There are more bytes than the limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The bytes are not a list in DER; `offset` is that of the first byte that does not fit.
    case unreadable(offset: Int)
    /// A block of PEM is damaged.
    case damagedPEM
    /// The text has no list in PEM.
    case noList
    /// The list has the changes since another list only (RFC 5280 section 5.2.4).
    case delta
    /// The list has certificates of other authorities than its issuer (RFC 5280 section 5.2.5).
    case indirect
    /// The list has attribute certificates only.
    case attributes
    /// The list, or one of its entries, has an unknown critical extension, which may change what the list means.
    case unknownExtension(String, isOfEntry: Bool)
    /// The list is signed with another algorithm than those that are checked; its dotted identifier.
    case otherAlgorithm(String)
    /// The list does not say how long it is good, as RFC 5280 section 5.1.2.5 demands.
    case noNextUpdate
}

extension RevocationListError: CustomStringConvertible {
    /// The problem and the remedy, without the place.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "it has \(bytes) bytes, and \(limit) are read: give a smaller list, or the same in DER"
        case .unreadable(let offset):
            "it is not a revocation list in DER (offset \(offset)): give a CRL of X.509 in DER or PEM, and fetch it again if it is cut"
        case .damagedPEM: "its PEM is damaged: fetch the list again"
        case .noList: "it has no revocation list: give a CRL in DER, or in PEM with -----BEGIN X509 CRL-----"
        case .delta: "it is a delta list, which has changes only (deltaCRLIndicator): give the whole list"
        case .indirect:
            "it is an indirect list, with certificates of other authorities: give the list of the authority itself"
        case .attributes: "it is a list of attribute certificates: give the one for the certificates of servers"
        case .unknownExtension(let identifier, let isOfEntry):
            "\(isOfEntry ? "an entry" : "it") has the critical extension \(identifier), which is not known: give a list without it"
        case .otherAlgorithm(let identifier):
            "its signature is of the algorithm \(identifier), which is not checked: give a list that is signed with SHA-256 and RSA or ECDSA, or "
                + "with Ed25519"
        case .noNextUpdate: "it does not say when the next list comes (nextUpdate): give a list that does"
        }
    }
}

/// Why a revocation list cannot be used for the certificates of its issuer.
public enum RevocationListDefect: Equatable, Sendable {
    /// The next list was due, in seconds since 1970-01-01T00:00:00Z.
    case ended(nextUpdate: Int64)
    /// The list is of a later time, in seconds since 1970-01-01T00:00:00Z.
    case notBegun(thisUpdate: Int64)
    /// The signature is not that of the issuer's key.
    case otherSignature
    /// The certificate of the issuer does not allow it to sign lists (`keyUsage` without `cRLSign`).
    case issuerMayNotSign
}

extension RevocationListDefect: CustomStringConvertible {
    /// The problem and the remedy.
    public var description: String {
        switch self {
        case .ended(let nextUpdate): "ended at \(Timestamp.text(unixSeconds: nextUpdate)): fetch the newer one"
        case .notBegun(let thisUpdate):
            "is of \(Timestamp.text(unixSeconds: thisUpdate)), which has not come yet: correct this machine's clock, or the list"
        case .otherSignature: "is not signed by this authority's key: fetch it again from the authority itself"
        case .issuerMayNotSign:
            "is signed by a certificate that may not do so (keyUsage without cRLSign): leave the list out, or let the authority correct its certificate"
        }
    }
}

/// Why a certificate was revoked (RFC 5280 section 5.3.1).
public enum RevocationReason: UInt8, Equatable, Sendable {
    case unspecified = 0
    case keyCompromise = 1
    case cACompromise = 2
    case affiliationChanged = 3
    case superseded = 4
    case cessationOfOperation = 5
    case certificateHold = 6
    case removeFromCRL = 8
    case privilegeWithdrawn = 9
    case aACompromise = 10
}
