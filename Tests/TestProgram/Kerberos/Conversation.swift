import Foundation
import SystemKerberos

/// One side of a log-on, whose peer sits at standard input and output: lines `token BASE64` and `code BASE64`.
struct Conversation {
    let options: Options
    let library: KerberosLibrary

    func initiate() throws {
        let credential = try KerberosCredential(options.source, library: library)
        var context = try KerberosInitiator(
            credential: credential,
            service: try options.service(library),
            options: options.initiator
        )
        var step = try context.step([UInt8]().span)
        send("token", step.token)
        while !step.isComplete {
            let input = try receive("token")
            step = try context.step(input.span)
            if !step.token.isEmpty { send("token", step.token) }
        }
        try compare(&context)
        say("done \(context.isMutual)")
    }

    func accept() throws {
        let credential = try KerberosCredential(acceptingWith: options["keytab"], library: library)
        var context = try KerberosAcceptor(credential: credential, options: options.acceptor)
        let input = try receive("token")
        let step: KerberosStep
        do { step = try context.step(input.span) } catch {
            if !context.errorToken.isEmpty { send("token", context.errorToken) }
            throw error
        }
        if !step.token.isEmpty { send("token", step.token) }
        try compare(&context)
        say("done \(context.client ?? "-") \(context.bindings)")
    }

    /// Each side signs the same message, and checks the other's code.
    private func compare<Context: KerberosContext & ~Copyable>(_ context: inout Context) throws {
        if options.has("no-codes") { return }
        let message = Array("what was negotiated".utf8)
        send("code", try context.messageIntegrityCode(of: message.span))
        let code = try receive("code")
        try context.verify(code.span, of: message.span)
    }

    private func send(_ word: String, _ bytes: [UInt8]) { say("\(word) \(Data(bytes).base64EncodedString())") }

    private func receive(_ word: String) throws -> [UInt8] {
        let words = (readLine() ?? "").split(separator: " ")
        guard words.count == 2, words[0] == word, let bytes = Data(base64Encoded: String(words[1])) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return Array(bytes)
    }
}
