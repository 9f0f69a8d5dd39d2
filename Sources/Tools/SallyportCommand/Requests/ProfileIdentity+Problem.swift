internal import ClientCertificates
internal import OfflineVerbs
internal import ProfileFiles
internal import WireFormat

extension ProfileIdentity {
    /// How an error names it: with the line of the profile, or the option that names it.
    var shown: String { line.map { "\($0.inOneLine): identity \(VisibleText.quoted(name))" } ?? name }

    /// Whether an error of this place is one of its.
    func holds(_ place: String) -> Bool {
        switch self.place {
        case .pem(let path, let key): place == path || place == key
        case .pkcs12(let path): place == path
        case .card: false
        case .store(let record): place == VisibleText.quoted(record)
        case .command(let words): place == words.first
        }
    }

    /// What is wrong with it, and where to mend it.
    func problem(_ error: IdentityError) -> RequestProblem {
        switch (error.problem, place) {
        case (.passphraseNeeded, .pem) where secret == nil, (.passphraseNeeded, .pkcs12) where secret == nil:
            .noPassphrase(shown, path: error.place)
        case (let problem, .command):
            .identity(shown, "\(error.place): \(Self.text(ofPrinted: problem) ?? "\(problem)")")
        default: .identity(shown, "\(error)")
        }
    }

    /// What is wrong with the output of a program; `nil` if the words for a file fit.
    private static func text(ofPrinted problem: IdentityError.Problem) -> String? {
        switch problem {
        case .passphraseNeeded: "the program prints an encrypted key: let it print the key without a passphrase"
        case .notPEM: "the program printed no block of PEM: let it print certificates and key in PEM"
        case .noKey: "the program printed no private key: let it print certificates and key in PEM"
        case .noCertificate: "the program printed no certificate: let it print certificates and key in PEM"
        default: nil
        }
    }
}
