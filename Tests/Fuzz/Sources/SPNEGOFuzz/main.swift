import CFuzzer

@testable import NTLM
@testable import Negotiate

/// One input: any bytes as a token of Negotiate, read alone, by a client that waits for it, and by a server.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count))
    let copy = bytes.indices.map { bytes[$0] }
    if let token = try? ResponseMessage(of: bytes) {
        let written = ResponseMessage.bytes(
            .init(
                token.state,
                mechanism: token.mechanism.flatMap { Mechanism(at: $0, in: bytes) },
                token: token.token.map { Array(copy[$0]) },
                integrityCode: token.integrityCode.map { Array(copy[$0]) }
            )
        )
        // A mechanism that has no name here cannot be written.
        let isNamed = token.mechanism == nil || Mechanism(at: token.mechanism ?? 0..<0, in: bytes) != nil
        precondition(!isNamed || written == copy, "DER has one form: what was read is what is written")
    }
    if let token = try? InitialMessage(of: bytes) {
        let list = MechanismList(at: token.list, in: bytes)
        precondition(list.bytes == Array(copy[token.list]), "the list is another one")
        precondition(list.known.count <= NegotiationLimits.mechanisms && (token.token?.upperBound ?? 0) <= count)
        MechanismList.forEach(at: token.list, in: bytes) { _ = ObjectIdentifierText.text(at: $0, in: bytes) }
    }
    var client = started
    let input = MechanismInput(now: now)
    if let reply = try? client.received(bytes, isFinal: count % 2 == 0, input), case .completed = reply {
        preconditionFailure("a client was accepted before it sent an AUTHENTICATE")
    }
    var server = ServerNegotiation([.kerberos, .ntlm])
    if case .token(_, let place)? = try? server.received(bytes) { precondition(place.upperBound <= count) }
    if case .token(_, let place)? = try? server.received(bytes) { precondition(place.upperBound <= count) }
    return 0
}

let now = FileTime(unixSeconds: 1_790_000_000)
/// A client that has offered NTLM.
let started: ClientNegotiation = {
    guard let hash = try? NTHash(password: "p"), let account = try? NTLMAccount(user: "u", domain: "D", hash: hash)
    else {
        preconditionFailure("the account is well-formed")
    }
    var client = ClientNegotiation(ntlm: NTLMInitiator(account: account, options: .init()))
    _ = client.start()
    return client
}()

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
