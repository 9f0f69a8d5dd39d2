import Crypto
import Foundation
import NIOCore
import Sallyport
import TestSupport
import Testing

@testable import SallyportNIO

/// Flights of servers that this file writes: RFC 5246 and RFC 8446, with a key schedule of its own.
@Suite struct FlightReadingTests {
    // MARK: - A naive writer

    private static func vector(_ lengthBytes: Int, _ bytes: [UInt8]) -> [UInt8] {
        (0..<lengthBytes).reversed().map { UInt8(bytes.count >> (8 * $0) & 0xFF) } + bytes
    }

    private static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + vector(3, body) }

    private static func records(_ type: UInt8, _ bytes: [UInt8], of size: Int) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: size).flatMap { start in
            [type, 3, 3] + vector(2, Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }

    private static func hello(suite: UInt16, isTLS13: Bool) -> [UInt8] {
        let start: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + vector(1, [1, 2, 3])
        let version: [UInt8] = [0, 43] + vector(2, [3, 4])
        let extensions = vector(2, [0, 51] + vector(2, [0, 29, 0, 1, 9]) + version)
        return message(2, start + [UInt8(suite >> 8), UInt8(suite & 0xFF), 0] + (isTLS13 ? extensions : []))
    }

    private static let names: [[UInt8]] = [[0x30, 0x00], [0x30, 0x03, 0x31, 0x01, 0x00]]
    private static let schemes: [UInt16] = [0x0403, 0x0804]

    private static var schemeBytes: [UInt8] { schemes.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }

    private static var request12: [UInt8] {
        message(13, vector(1, [1, 64]) + vector(2, schemeBytes) + vector(2, names.flatMap { vector(2, $0) }))
    }

    private static var request13: [UInt8] {
        let algorithms: [UInt8] = [0, 13] + vector(2, vector(2, schemeBytes))
        let authorities: [UInt8] = [0, 47] + vector(2, vector(2, names.flatMap { vector(2, $0) }))
        let unknown: [UInt8] = [0x7A, 0x7A] + vector(2, [1, 2, 3])
        return message(13, vector(1, []) + vector(2, unknown + algorithms + authorities))
    }

    private static func flight12(_ request: [UInt8], size: Int) -> [UInt8] {
        let messages =
            hello(suite: 0xC02B, isTLS13: false) + message(11, [UInt8](repeating: 5, count: 3_000))
            + message(12, [1, 2, 3]) + request + message(14, [])
        return records(22, messages, of: size)
    }

    /// RFC 5869 with HMAC, and RFC 8446 section 7.1.
    private static func expand<Hash: HashFunction>(
        _ secret: [UInt8],
        _ label: String,
        _ count: Int,
        _: Hash.Type
    ) -> [UInt8] {
        let info: [UInt8] = [0, UInt8(count)] + vector(1, Array("tls13 \(label)".utf8)) + vector(1, [])
        var (block, output): ([UInt8], [UInt8]) = ([], [])
        var number: UInt8 = 1
        while output.count < count {
            block = Array(
                HMAC<Hash>.authenticationCode(for: block + info + [number], using: SymmetricKey(data: secret))
            )
            output += block
            number += 1
        }
        return Array(output.prefix(count))
    }

    private static func secret(_ suite: UInt16) -> [UInt8] {
        (0..<(suite == 0x1302 ? 48 : 32)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    }

    private static func sealed(_ inside: [[UInt8]], suite: UInt16) throws -> [UInt8] {
        let secret = secret(suite)
        let (key, iv) =
            suite == 0x1302
            ? (expand(secret, "key", 32, SHA384.self), expand(secret, "iv", 12, SHA384.self))
            : (expand(secret, "key", suite == 0x1301 ? 16 : 32, SHA256.self), expand(secret, "iv", 12, SHA256.self))
        var output: [UInt8] = []
        for (number, contents) in inside.enumerated() {
            var nonce = iv
            nonce[11] ^= UInt8(number)
            // Type 22 and some padding.
            let plain = contents + [22, 0, 0, 0]
            let header: [UInt8] = [23, 3, 3] + vector(2, [UInt8](repeating: 0, count: plain.count + 16)).prefix(2)
            let symmetric = SymmetricKey(data: key)
            if suite == 0x1303 {
                let box = try ChaChaPoly.seal(
                    plain,
                    using: symmetric,
                    nonce: .init(data: nonce),
                    authenticating: header
                )
                output += header + box.ciphertext + box.tag
            } else {
                let box = try AES.GCM.seal(plain, using: symmetric, nonce: .init(data: nonce), authenticating: header)
                output += header + box.ciphertext + box.tag
            }
        }
        return output
    }

    private static func flight13(
        _ request: [UInt8],
        suite: UInt16 = 0x1301,
        size: Int = 1_000,
        retries: Bool = false
    ) throws -> [UInt8] {
        let messages = message(8, vector(2, [])) + request + message(11, [UInt8](repeating: 5, count: 3_000))
        let parts = stride(from: 0, to: messages.count, by: size).map {
            Array(messages[$0..<min($0 + size, messages.count)])
        }
        let hello = records(22, hello(suite: suite, isTLS13: true), of: 16_384)
        return (retries ? hello : []) + hello + [20, 3, 3, 0, 1, 1] + (try sealed(parts, suite: suite))
    }

    private static let expected12 = CertificateRequest(
        version: .tls12,
        authorities: names,
        signatureSchemes: schemes,
        certificateTypes: [1, 64]
    )
    private static let expected13 = CertificateRequest(version: .tls13, authorities: names, signatureSchemes: schemes)

    // MARK: - Tests

    @Test("TLS 1.2, in records of any size", arguments: [1, 3, 7, 100, 16_384])
    func tls12(size: Int) {
        #expect(FlightReading.request(in: Self.flight12(Self.request12, size: size), secret: []) == Self.expected12)
        #expect(FlightReading.request(in: Self.flight12([], size: size), secret: []) == nil)
    }

    @Test(
        "TLS 1.3, each suite, in records of any size, and after a HelloRetryRequest",
        arguments: [0x1301, 0x1302, 0x1303]
    )
    func tls13(suite: UInt16) throws {
        let secret = Self.secret(suite)
        for size in [20, 50, 1_000, 16_000] {
            for retries in [false, true] {
                let flight = try Self.flight13(Self.request13, suite: suite, size: size, retries: retries)
                #expect(FlightReading.request(in: flight, secret: secret) == Self.expected13)
            }
            #expect(FlightReading.request(in: try Self.flight13([], suite: suite, size: size), secret: secret) == nil)
        }
        let flight = try Self.flight13(Self.request13, suite: suite)
        #expect(FlightReading.request(in: flight, secret: []) == nil)
        #expect(FlightReading.request(in: flight, secret: secret.map { $0 ^ 1 }) == nil)
        #expect(FlightReading.request(in: flight, secret: secret + [0]) == nil)
    }

    @Test("A message that breaks the form of its vectors is not a request") func damagedMessages() throws {
        func read(_ body: [UInt8]) -> CertificateRequest? { CertificateRequest(ofTLS12: body[...]) }
        let whole = Array(Self.request12.dropFirst(4))
        #expect(read(whole) == Self.expected12)
        for count in 0..<whole.count { #expect(read(Array(whole.prefix(count))) == nil) }
        #expect(read(whole + [0]) == nil)
        #expect(read(Self.vector(1, []) + Self.vector(2, Self.schemeBytes) + Self.vector(2, [])) == nil)
        #expect(read(Self.vector(1, [1]) + Self.vector(2, [4]) + Self.vector(2, [])) == nil)
        #expect(read(Self.vector(1, [1]) + Self.vector(2, Self.schemeBytes) + Self.vector(2, [0, 0])) == nil)
        let later = Array(Self.request13.dropFirst(4))
        for count in 0..<later.count { #expect(CertificateRequest(ofTLS13: later[..<count]) == nil) }
        // Without signature_algorithms (RFC 8446 section 4.3.2).
        let bare = Self.vector(1, []) + Self.vector(2, [])
        #expect(CertificateRequest(ofTLS13: bare[...]) == nil)
    }

    @Test("Truncated, changed and arbitrary bytes end in an answer", arguments: UInt64(1)...4)
    func damagedFlights(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let flights = [Self.flight12(Self.request12, size: 700), try Self.flight13(Self.request13)]
        for flight in flights {
            for _ in 0..<150 {
                let cut = Array(flight.prefix(Int.random(in: 0..<flight.count, using: &random)))
                let found = FlightReading.request(in: cut, secret: Self.secret(0x1301))
                #expect(found == nil || found == Self.expected13)
                var changed = flight
                changed[Int.random(in: 0..<changed.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
                _ = FlightReading.request(in: changed, secret: Self.secret(0x1301))
            }
        }
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                [22, 23, 3, 0, 2, 13, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
            }
            _ = FlightReading.request(in: bytes, secret: Self.secret(0x1301))
        }
    }

    @Test("A recording has a bound, ends once, and takes the one secret of the key log") func recording() throws {
        let flight = ServerFlight()
        let secret = Self.secret(0x1301)
        func line(_ label: String, _ secret: [UInt8]) -> ByteBuffer {
            let digits = secret.map { String(format: "%02x", $0) }.joined()
            return ByteBuffer(string: "\(label) \(String(repeating: "ab", count: 32)) \(digits)\n")
        }
        flight.note(keyLog: line("CLIENT_HANDSHAKE_TRAFFIC_SECRET", [1, 2, 3]))
        flight.note(keyLog: line("SERVER_HANDSHAKE_TRAFFIC_SECRET", secret))
        flight.note(keyLog: line("SERVER_TRAFFIC_SECRET_0", [4, 5, 6]))
        for byte in try Self.flight13(Self.request13) { #expect(flight.record(ByteBuffer(bytes: [byte]))) }
        #expect(flight.takeRequest() == Self.expected13)
        #expect(!flight.record(ByteBuffer(bytes: [1])) && flight.takeRequest() == nil)

        let long = ServerFlight()
        #expect(long.record(ByteBuffer(repeating: 22, count: ServerFlight.mostBytes)))
        #expect(!long.record(ByteBuffer(bytes: [1])) && long.takeRequest() == nil)
    }
}
