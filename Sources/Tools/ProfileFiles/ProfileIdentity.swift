public import Secrets

/// A client certificate of a profile: where the certificate and its key are. Nothing of it is read here but certificates in PEM.
public struct ProfileIdentity: Sendable {
    /// Where an identity is.
    public enum Place: Sendable {
        /// Certificates in PEM, leaf first, and the file with the key; without one the key lies beside them, or the profile names none.
        case pem(String, key: String?)
        /// A file with certificates and key: PKCS#12.
        case pkcs12(String)
        /// A card, by its URI of RFC 7512.
        case card(String)
        /// The record of this name in the sealed store.
        case store(String)
        /// A program and its arguments, which prints certificates and key in PEM.
        case command([String])
    }

    /// The name of the identity in the profile.
    public let name: String
    /// Where it is.
    public let place: Place
    /// The passphrase of the files, or the PIN of the card; `nil` for none.
    public let secret: SharedSecret?
    /// The rules for the servers that may get it.
    public let sites: [String]
    /// The file of the profile and the line; `nil` for the certificate of an option.
    public let line: String?

    /// Takes the parts.
    public init(name: String, place: Place, secret: SharedSecret?, sites: [String], line: String?) {
        (self.name, self.place, self.secret, self.sites, self.line) = (name, place, secret, sites, line)
    }
}
