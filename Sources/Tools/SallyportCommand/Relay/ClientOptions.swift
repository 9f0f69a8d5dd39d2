internal import ArgumentParser
internal import ClientAuthentication
internal import ClientDirectories
internal import Credentials
internal import Foundation
internal import HTTPAuthentication
internal import NTLM
internal import SallyportNIO
internal import SallyportRelay

/// Who may use the relay, and with whose accounts.
struct ClientOptions: ParsableArguments {
    @Option(
        name: .customLong("client-accounts"),
        help: ArgumentHelp(
            "Let clients authenticate themselves at every address, with the accounts of this file: one a line, NAME:{PLAIN}PASSWORD, NAME:{NT}HASH, or as htpasswd and htdigest write them. SIGHUP reads it again.",
            valueName: "file"
        )
    )
    var clientAccounts: String?

    @Option(
        name: .customLong("client-directory"),
        help: ArgumentHelp(
            "Let clients authenticate themselves at every address, with accounts that are judged elsewhere. winbind:DOMAIN: by the controllers of a Windows domain, through Samba's winbind, with NTLM and Basic; winbind alone, with NTLM. kerberos:HOST@REALM: by the KDC of a realm, with Basic; --client-keytab has the key of HTTP/HOST.",
            valueName: "directory"
        )
    )
    var clientDirectory: ClientDirectoryArgument?

    @Option(
        name: .customLong("client-keytab"),
        help: ArgumentHelp(
            "Let clients authenticate themselves at every address with tickets of Kerberos for HTTP/HOST, whose key is in this keytab; HOST is the relay's name as clients write it.",
            valueName: "file"
        )
    )
    var clientKeytab: String?

    @Option(
        name: .customLong("channel-binding"),
        help: ArgumentHelp(
            "What becomes of the channel bindings that clients send with NTLM and Kerberos to addresses with https://. accepted: a binding to another certificate is refused, and a client without a binding is let in; required: such a client is refused, too; off: bindings are not compared, for a relay behind another end of TLS.",
            valueName: "demand"
        )
    )
    var channelBinding = BindingArgument.accepted

    @Option(
        help: ArgumentHelp(
            "Use accounts of the profile, named with commas between them, for some clients only: client:NAME for one of --client-accounts, --client-directory or --client-keytab, uid:NUMBER for programs of a user of this machine, listener:ADDRESS:PORT for an address. Several times.",
            valueName: "accounts=client"
        )
    )
    var identity: [String] = []

    /// How clients log on, and the file with their accounts if there is one. Blocks the calling thread.
    func accounts() throws(RelayProblem) -> (ClientAccounts, AccountsFile?)? {
        guard clientAccounts != nil || clientDirectory != nil || clientKeytab != nil else { return nil }
        guard clientAccounts == nil || clientDirectory == nil else { throw .twoDirectories }
        let file = try Self.opened(clientAccounts, Self.accountsFile)
        let keytab = try Self.opened(clientKeytab, Self.keytab)
        let (directory, schemes): (any ClientDirectory, [ClientScheme]) =
            if let file { (file, file.schemes) } else {
                try clientDirectory?.open(keytab: clientKeytab) ?? (FixedDirectory([:]), [])
            }
        let options = ClientAuthenticationOptions(
            party: .proxy,
            realm: file?.realm ?? "sallyport relay",
            schemes: (keytab == nil ? [] : [.negotiate]) + schemes,
            // curl and cntlm send no integrity code, which a timestamp would demand.
            ntlm: ServerHandshake.Options(computerName: "SALLYPORT", sendsTimestamp: false),
            kerberos: keytab,
            negotiatesNTLM: schemes.contains(.ntlm)
        )
        return (ClientAccounts(options, directory: directory), file)
    }

    private static func opened<File>(
        _ name: String?,
        _ open: (String) throws(RelayProblem) -> File
    ) throws(RelayProblem) -> File? {
        guard let name else { return nil }
        return try open(name)
    }

    private static func accountsFile(_ name: String) throws(RelayProblem) -> AccountsFile {
        do throws(AccountsFileError) { return try AccountsFile(name) } catch { throw .clientAccounts("\(error)") }
    }

    private static func keytab(_ name: String) throws(RelayProblem) -> KerberosKeytab {
        // The library reads it at the first ticket, which is late for a file that is not there.
        guard FileManager.default.isReadableFile(atPath: name) else {
            throw .clientKeytab("\(name): it cannot be read: correct the path, or let this user read it")
        }
        // The library opens it by its name; a key that others may read is not a secret by then.
        do { _ = try PrivateFile(name) } catch { throw .clientKeytab("\(name): \(error)") }
        do { return try KerberosKeytab(name) } catch { throw .clientKeytab("\(error)") }
    }

    /// The arguments of `--identity`.
    func rules() throws(RelayProblem) -> [IdentityRule] {
        var rules: [IdentityRule] = []
        for text in identity { rules.append(try IdentityRule(parsing: text)) }
        return rules
    }
}

/// Accounts of the profile, and the client that uses them.
struct IdentityRule {
    let accounts: [String]
    let client: RelayIdentity.Client

    /// Reads `jdoe,jdoe-wiki=uid:1000`.
    init(parsing text: String) throws(RelayProblem) {
        let problem = RelayProblem.identity(
            "\(text.debugDescription): write ACCOUNT=client:NAME, ACCOUNT=uid:NUMBER or ACCOUNT=listener:ADDRESS:PORT"
        )
        let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2 else { throw problem }
        accounts = sides[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard accounts.allSatisfy({ !$0.isEmpty }) else { throw problem }
        let parts = sides[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[1].isEmpty else { throw problem }
        switch parts[0] {
        case "client": client = .account(ClientName(parts[1]))
        case "uid":
            guard let number = UInt32(parts[1]) else { throw problem }
            client = .owner(number)
        case "listener":
            do { client = .listener(try ListenAddress(parsing: parts[1])) } catch { throw .identity("\(error)") }
        default: throw problem
        }
    }
}

/// The arguments of `--channel-binding`.
enum BindingArgument: String, ExpressibleByArgument, CaseIterable {
    case off
    case accepted
    case required

    var demand: ChannelBindingDemand {
        switch self {
        case .off: .off
        case .accepted: .accepted
        case .required: .required
        }
    }
}
