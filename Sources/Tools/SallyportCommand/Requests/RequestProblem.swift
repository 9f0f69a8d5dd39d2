internal import Hostnames
internal import OfflineVerbs
internal import SPKIPins
internal import Sallyport
internal import WireFormat

/// Why the arguments of a request cannot be used. It holds no part of a field, of a URL's user, or of a body.
enum RequestProblem: Error, Equatable {
    case url(URLLocationError)
    case userInURL(option: String)
    case method
    case header(number: Int, HeaderProblem)
    case data(String, reason: String)
    case proxy(place: String, OriginError)
    case proxyScheme(place: String)
    case proxyLogin(place: String)
    case noProxy(place: String, reason: String)
    case unknownAccount(String)
    /// An identity cannot be used; where it is named, and why.
    case identity(String, String)
    /// The card of an identity needs a PIN, and there is no person to ask.
    case noPIN(String)
    /// The file of an identity is encrypted, and there is neither a passphrase nor a person to ask.
    case noPassphrase(String, path: String)
    /// An argument names a file and its passphrase, as curl takes them; the file.
    case passphraseInArgument(String)
    /// A profile that was read again has an identity whose card or store was not opened at the start.
    case notAtStart(String, String)
    /// The person has ended the question which certificate a server gets.
    case choiceCancelled(IdentityQuestion)
    case authorities(String, reason: String)
    case noAuthority(String)
    case timeLimit(seconds: Double)
    case stalled(seconds: Int)

    /// What is wrong with a field.
    enum HeaderProblem: Error, Equatable {
        case noColon
        case name
        case value
        /// A field with a secret in an argument.
        case secret(String)
        /// A field that answers challenges, in a file.
        case answer(String)
        /// Why the file of a field cannot be used.
        case file(String)
        case framing(String)
    }
}

extension RequestProblem {
    /// Whether the arguments are right and the server is the cause.
    var isOfServer: Bool {
        switch self {
        case .timeLimit, .stalled: true
        default: false
        }
    }
}

extension RequestProblem: CustomStringConvertible {
    /// One line: the place, the problem and the remedy.
    var description: String {
        switch self {
        case .url(let error): "URL: \(error)"
        case .userInURL(let option):
            "\(option): a name or password before '@' is visible to other processes: remove it, and name the user with "
                + (option == "URL" ? "--user" : "--proxy-user")
        case .identity(let place, let reason): "\(place): \(reason)"
        case .noPIN(CertificateOptions.name):
            "--cert: the card needs a PIN: name its file with --cert-passphrase-file, or with pin-source= in the URI"
        case .noPIN(let place):
            "\(place): the card needs a PIN: name its place with 'pin', or with pin-source= in the URI"
        case .noPassphrase(CertificateOptions.name, let path):
            "--cert: \(path.inOneLine): the file is encrypted: name the file of its passphrase with --cert-passphrase-file"
        case .noPassphrase(let place, let path):
            "\(place): \(path.inOneLine): the file is encrypted: name the place of its passphrase with 'passphrase' in the profile"
        case .passphraseInArgument(let path):
            "--cert: a passphrase after \(path.inOneLine) is visible to other processes: remove ':' and what follows, put the passphrase into a file, "
                + "and name it with --cert-passphrase-file"
        case .notAtStart(let place, let what):
            "\(place): \(what) is opened at the start only: start the command again"
        case .method: "--request: a method is a token such as PUT, and not CONNECT: correct it"
        case .header(let number, let problem): "--header, number \(number): \(problem)"
        case .data(let place, let reason): "--data: \(place.inOneLine): \(reason)"
        case .proxy(let place, let error): "\(place): \(error)"
        case .proxyScheme(let place): "\(place): the scheme is not one of an HTTP proxy: use http:// or https://"
        case .proxyLogin(let place):
            "\(place): a '%' before '@' begins no escape of two hexadecimal digits: write it as %25"
        case .noProxy(let place, let reason): "\(place): \(reason)"
        case .unknownAccount(let name):
            "--user: the profile has several accounts for the user \(VisibleText.quoted(name)): give the name of one"
        case .choiceCancelled(let question):
            "\(question), and the question was cancelled: run the command again to choose one, or name one with --cert FILE or "
                + "--cert-identity NAME"
        case .authorities(let file, let reason): "\(file.inOneLine): \(reason)"
        case .noAuthority(let file): "\(file.inOneLine): the file has no certificate: give PEM"
        case .timeLimit(let seconds): "the time limit of \(seconds) s is over: raise --max-time, or check the server"
        case .stalled(let seconds): "no byte came for \(seconds) s: check the server and the network"
        }
    }
}

extension RequestProblem.HeaderProblem: CustomStringConvertible {
    private static func remedy(ofSecret name: String) -> String {
        switch name {
        case "Cookie": "put the line into a file of yours, and give --header @FILE"
        case _ where TokenPlacement.knownFields.contains(name):
            "give an account of a profile 'token' and 'field: \(name)', or put the line into a file of yours, and give --header @FILE"
        default: "use a profile, the store, --netrc, --git or the terminal"
        }
    }

    /// The problem and the remedy.
    var description: String {
        switch self {
        case .noColon: "there is no ':': write 'Name: value'"
        case .name: "the name is not a token: write 'Name: value'"
        case .value: "the value has a control character: remove it"
        case .secret(let name):
            "\(name) holds a secret, and other processes can read arguments: "
                + Self.remedy(ofSecret: name)
        case .answer(let name):
            "\(name) is set by the client: use a profile, the store, --netrc, --git or the terminal"
        case .file(let problem): problem.inOneLine
        case .framing(let name): "\(name) is set by the client: remove it"
        }
    }
}
