import Foundation
import Secrets
import SystemKerberos

/// For the tests of SystemKerberos: libkrb5 reads its configuration from the environment, so each realm needs a process.
///
/// ```
/// logon OPTIONS      logs on to this package's own server; with --count N that many times
/// initiate OPTIONS   a client whose server sits at standard input and output
/// accept OPTIONS     a server whose client sits there
/// wait OPTIONS       logs on through a worker, with its bounds
/// cache OPTIONS      asks the cache of credentials for one source by many tasks
/// page OPTIONS       logs on with the snippets of the page, at this package's own server
/// ```
///
/// Each prints lines of words, and `end` at last. A failure is `error OPERATION REASON TEXT`.
enum KerberosSide {
    static func run(_ verb: String, _ words: [String]) async {
        let options = Options(words)
        do {
            let library = try options.library
            switch verb {
            case "logon": try LogOns(options: options, library: library).run()
            case "initiate": try Conversation(options: options, library: library).initiate()
            case "accept": try Conversation(options: options, library: library).accept()
            case "wait": try await Waiting(options: options, library: library).run()
            case "cache": try await Caching(options: options, library: library).run()
            case "page":
                let server = KerberosExchange(on: KerberosWorker()) { () throws(KerberosError) in
                    try KerberosAcceptor(credential: KerberosCredential(acceptingWith: nil, library: library))
                }
                let isComplete = try await SystemKerberosSnippet.logOn(to: "localhost") { token in
                    try await server.step(token).token
                }
                say(isComplete ? "complete" : "incomplete")
            default: exit(2)
            }
        } catch {
            report(error)
        }
        // Another child of the tests may hold this output open, so its end is no sign.
        say("end")
    }
}

func report(_ error: any Error) {
    switch error {
    case let error as KerberosError:
        say("error \(error.operation) \(error.reason) \(error)")
    default: say("error - - \(error)")
    }
}

extension Options {
    var library: KerberosLibrary {
        get throws {
            if let path = self["library"] { return try KerberosLibrary.load([path]) }
            return try KerberosLibrary.load()
        }
    }

    /// `--password` with `--principal`, `--client-keytab` with `--principal`, `--cache`, or the default cache.
    var source: KerberosCredentialSource {
        if let password = self["password"] {
            return .password(SharedSecret(utf8: password), principal: self["principal"] ?? "")
        }
        if let keytab = self["client-keytab"] { return .keytab(keytab, principal: self["principal"] ?? "") }
        if let cache = self["cache"] { return .cache(cache, principal: self["principal"]) }
        return .defaultCache(principal: self["principal"])
    }

    func service(_ library: KerberosLibrary) throws(KerberosError) -> KerberosService {
        var naming = KerberosService.Naming.exact
        if let realm = self["realm"] { naming = .realm(realm) }
        if has("by-library") { naming = .library }
        return try KerberosService(host: self["host"] ?? "localhost", naming: naming, library: library)
    }

    var initiator: KerberosInitiator.Options {
        KerberosInitiator.Options(
            demandsMutual: !has("one-sided"),
            delegates: has("delegate"),
            bindings: self["bindings"].map { Array($0.utf8) }
        )
    }

    var acceptor: KerberosAcceptor.Options {
        KerberosAcceptor.Options(
            bindings: self["server-bindings"].map { Array($0.utf8) },
            demandsBindings: has("demand-bindings")
        )
    }
}
