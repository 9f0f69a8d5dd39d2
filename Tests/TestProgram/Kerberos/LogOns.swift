import Foundation
import SystemKerberos

/// Log-ons to this package's own server, in one process.
struct LogOns {
    let options: Options
    let library: KerberosLibrary

    func run() throws {
        if options.has("describe") {
            return say("\(library.takesNamedStores) \(library.takesPasswords) \(library.knowsRealmsOfHosts)")
        }
        let credential = try KerberosCredential(options.source, library: library)
        if options.has("credential-only") {
            let seconds = credential.expiry.map { ContinuousClock.now.duration(to: $0).components.seconds }
            return say("credential \(credential.principal ?? "-") \(seconds.map { "\($0)" } ?? "-")")
        }
        let server = try KerberosCredential(
            acceptingWith: options["keytab"],
            principal: options["server-principal"],
            library: library
        )
        let count = options.number("count", 1)
        // What the libraries keep for good is there after the first tenth, what this reading takes after the first one, and what
        // the last log-on prints is not counted.
        var (early, late) = (residentBytes(), 0)
        for number in 0..<count {
            if number == count - 1 { late = residentBytes() }
            try logOn(credential, server, isLast: number == count - 1)
            if number == count / 10 { early = residentBytes() }
        }
        if count > 1 { say("grown \(late - early)") }
    }

    private func logOn(
        _ credential: KerberosCredential,
        _ server: KerberosCredential,
        isLast: Bool
    ) throws {
        let service = try options.service(library)
        var client = try KerberosInitiator(credential: credential, service: service, options: options.initiator)
        var acceptor = try KerberosAcceptor(credential: server, options: options.acceptor)
        let first = try client.step([UInt8]().span)
        var request = first.token
        if options.has("spoil") { request[request.count / 2] ^= 1 }
        let answer: KerberosStep
        do { answer = try acceptor.step(request.span) } catch {
            // What the server says about it.
            if !acceptor.errorToken.isEmpty {
                do { _ = try client.step(acceptor.errorToken.span) } catch { report(error) }
            }
            throw error
        }
        if !first.isComplete {
            var token = answer.token
            if options.has("spoil-answer") { token[token.count - 1] ^= 1 }
            guard try client.step(token.span).isComplete else { return say("unfinished") }
        }
        let message = Array("what was negotiated".utf8)
        let (there, back) = (
            try client.messageIntegrityCode(of: message.span), try acceptor.messageIntegrityCode(of: message.span)
        )
        try acceptor.verify(there.span, of: message.span)
        try client.verify(back.span, of: message.span)
        guard isLast else { return }
        say("client \(acceptor.client ?? "-") \(acceptor.bindings) \(acceptor.isMutual)")
        say("server \(client.isMutual) \(client.hasDelegated) \(service.text)")
        if options.has("replay") {
            var again = try KerberosAcceptor(credential: server, options: options.acceptor)
            _ = try again.step(request.span)
        }
        if options.has("spoil-code") {
            var code = there
            code[code.count - 1] ^= 1
            try acceptor.verify(code.span, of: message.span)
        }
    }
}

/// Bytes of memory that this process occupies.
func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
}
