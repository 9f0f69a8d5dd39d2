import CFuzzer
import Crypto

@testable import Authenticator
@testable import SPKIPins

let keys: (trusted: Curve25519.Signing.PrivateKey, stranger: Curve25519.Signing.PrivateKey) = {
    let keys = [UInt8(1), 2].compactMap {
        try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: $0, count: 32))
    }
    guard keys.count == 2 else { preconditionFailure("no keys") }
    return (keys[0], keys[1])
}()
let trusted = [Array(keys.trusted.publicKey.rawRepresentation)]

/// An update that opens, to be damaged.
let original: [UInt8] = {
    let entry = PinPolicy.Entry(
        host: "**.host.example",
        pins: [PositionedPin(Pin(hashing: [UInt8](arrayLiteral: 1).span))],
        backup: .pins([PositionedPin(Pin(hashing: [UInt8](arrayLiteral: 2).span))]),
        expiry: 1000
    )
    guard let policy = try? PinPolicy(compiling: [entry], version: 7, at: 0),
        let update = try? PinUpdate.sign(policy, with: Array(keys.trusted.rawRepresentation))
    else { preconditionFailure("no update to begin with") }
    return update
}()

func signed(_ bytes: [UInt8], by key: Curve25519.Signing.PrivateKey) -> [UInt8] {
    guard let signature = try? key.signature(for: bytes) else { preconditionFailure("no signature") }
    return bytes + Array(signature)
}

func open(_ update: [UInt8], above floor: UInt64) -> Result<PinPolicy, PinUpdateError> {
    do throws(PinUpdateError) {
        return .success(try PinUpdate.open(update, trusting: trusted, above: floor))
    } catch {
        precondition(!error.description.isEmpty)
        return .failure(error)
    }
}

/// One input: a byte, and then an update as it is; or places in one and what to write there, three bytes each, or its bytes,
/// which are signed by the trusted key or by another. A fuzzer guesses neither a signature nor the checksum inside.
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let choice = input.first else { return 0 }
    var body: [UInt8]
    switch choice % 4 {
    case 0:
        let update = Array(input.dropFirst())
        if case .success = open(update, above: 0) { precondition(update == original, "an unsigned update opens") }
        return 0
    case 1: body = Array(input.dropFirst())
    default:
        body = Array(original.dropLast(PinUpdate.signatureLength))
        for change in stride(from: 1, to: count - 2, by: 3) {
            body[(Int(input[change]) | Int(input[change + 1]) << 8) % body.count] = input[change + 2]
        }
        if choice % 4 == 3 {
            body.removeLast(PinImage.checksumLength)
            let image = body.dropFirst(PinUpdate.headerLength)
            body += Pin(hashing: Array(image).span).bytes
        }
    }
    precondition({ if case .failure = open(signed(body, by: keys.stranger), above: 0) { true } else { false } }())
    let update = signed(body, by: keys.trusted)
    guard case .success(let policy) = open(update, above: 0) else { return 0 }
    precondition(body.starts(with: PinUpdate.magic) && policy.image == Array(body.dropFirst(PinUpdate.headerLength)))
    precondition(policy.version > 0)
    let again = open(update, above: policy.version)
    guard case .failure(.rolledBack) = again else { preconditionFailure("an update goes back") }
    // What was read can be signed and opened again.
    guard let second = try? PinUpdate.sign(policy, with: Array(keys.trusted.rawRepresentation)),
        case .success(let same) = open(second, above: policy.version - 1), same.image == policy.image
    else { preconditionFailure("a policy that was opened does not travel") }
    return 0
}

// Swift's main starts libFuzzer's: two of them cannot be linked.
var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
withUnsafeMutablePointer(to: &count) { count in
    var start: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = arguments
    _ = LLVMFuzzerRunDriver(count, &start, fuzz)
}
