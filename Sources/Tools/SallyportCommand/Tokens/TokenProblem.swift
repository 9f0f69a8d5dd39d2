internal import OfflineVerbs
internal import WireFormat

/// Why a verb about tokens cannot do its work.
enum TokenProblem: Error, Equatable {
    case noAccount(String)
    case noAccounts(profile: String)
    case noIssuer(String)
    case noDescription(issuer: String, reason: String)
    case issuerFound(String, issuer: String)
    case noSecret(String)
    case noDevicePage(String)
    case notOfUser(String)
    case notDecided(seconds: Int)
    case browser(String)
    case noCertificate(String, origin: String)
    case uselessCertificate
    case encryptedKey(String)
    case otherKey(String, kind: String, algorithm: String?)
    case otherProofs(String, algorithms: [String])
    case noPortal(String)
    case needsNoSignIn(String)
    case noBrowser(String)
    case tokenEnded(String, at: Int64)
}

extension TokenProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .noAccount(let text):
            "\(text.inOneLine): the profile has no account with 'oauth' or 'arcgis' of this name or for this URL: check the profile"
        case .noAccounts(let profile): "\(profile.inOneLine): no account has 'oauth' or 'arcgis': add one"
        case .noIssuer(let name):
            "\(name.inOneLine): the account has no 'issuer': sallyport login finds the service that its resource names"
        case .noDescription(let issuer, let reason):
            "\(issuer.inOneLine): the service does not describe itself as RFC 8414 asks: \(reason)"
        case .issuerFound(let name, let issuer):
            "\(name.inOneLine): the resource names the service \(issuer.inOneLine): if that is right, write 'issuer: \(issuer.inOneLine)' into the profile"
        case .noSecret(let name):
            "\(name.inOneLine): the store has no secret of the client: sallyport login asks for it"
        case .noDevicePage(let name):
            "\(name.inOneLine): the service has no sign-in on another device: leave --device out"
        case .notOfUser(let name):
            "\(name.inOneLine): the application signs in itself, without a person: leave --device and --browser out"
        case .notDecided(let seconds): "the code was not typed in \(seconds) s: begin again, or raise --wait"
        case .noCertificate(let name, let origin):
            "\(name.inOneLine): no client certificate goes to \(origin): name one for it in 'identities' or with --cert, and allow it in 'sites'"
        case .uselessCertificate:
            "--cert: the service of the account is http, where no certificate is presented: remove the option"
        case .encryptedKey(let path):
            "\(path.inOneLine): the key is encrypted: name the place of its passphrase with 'passphrase' below 'key', as key: { file: …, passphrase: { file: … } }"
        case .otherKey(let path, let kind, nil):
            "\(path.inOneLine): the key is \(kind), which signs no assertions here: give a key on P-256, or RSA of 2048 bits or more"
        case .otherKey(let path, let kind, let algorithm?):
            "\(path.inOneLine): the key is \(kind), and \(algorithm) is signed by RSA: remove 'algorithm', or give an RSA key"
        case .otherProofs(let name, let algorithms):
            "\(name.inOneLine): the service takes proofs with \(algorithms.joined(separator: ", ").inOneLine), and they are signed with ES256: remove 'dpop', or "
                + "allow ES256 there"
        case .noPortal(let name):
            "\(name.inOneLine): the profile has no account of the portal: check 'federated-with'"
        case .needsNoSignIn(let name):
            "\(name.inOneLine): the token is in the profile: use it without a sign-in"
        case .noBrowser(let name):
            "\(name.inOneLine): a portal gives tokens without a browser: leave --device, --browser and --wait out"
        case .tokenEnded(let name, let end):
            "\(name.inOneLine): the token of the profile ended at \(Timestamp.text(unixSeconds: end)): generate another one, and correct 'ends'"
        case .browser(let reason):
            "--browser: xdg-open cannot be started (\(reason.inOneLine)): open the address yourself"
        }
    }
}
