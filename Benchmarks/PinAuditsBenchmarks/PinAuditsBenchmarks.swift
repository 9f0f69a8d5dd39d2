internal import Benchmark
internal import BigInt
internal import Foundation
internal import PinAudits
internal import TestSupport

/// What the audit costs: one key by itself, and many together, by their number.
@main struct Suite: BenchmarkRunnerHooks {
    static func registerBenchmarks() {
        for bits in [2048, 4096] {
            let key = soundKey(bits: bits)
            Benchmark("PublicKeyMaterial.weaknesses/rsa\(bits)", configuration: .init(scalingFactor: .one)) {
                benchmark in
                for _ in benchmark.scaledIterations { blackHole(key.weaknesses()) }
            }
        }
        let shared = modulus(1, bits: 1024)
        // Each round takes more than a minute, so this runs only on request.
        let isThorough = ProcessInfo.processInfo.environment["SALLYPORT_THOROUGH"] != nil
        let counts = [125, 250, 500, 1000, 2000] + (isThorough ? [10_000] : [])
        let most = counts[counts.count - 1]
        let moduli =
            [shared * modulus(2, bits: 1024)] + (3..<most + 1).map { modulus($0, bits: 2048) }
            + [shared * modulus(most + 1, bits: 1024)]
        for count in counts {
            // Each size is a part of the next, and the pair is in all.
            let batch = Array(moduli.prefix(count - 1)) + [moduli[moduli.count - 1]]
            Benchmark(
                "BatchGCD.divisors/rsa2048/N=\(count)",
                configuration: .init(scalingFactor: .one, maxDuration: .seconds(5), maxIterations: 5)
            ) { benchmark in
                for _ in benchmark.scaledIterations {
                    let divisors = BatchGCD.divisors(of: batch)
                    precondition(divisors[0] % shared == 0, "the pair was not found")
                    blackHole(divisors)
                }
            }
        }
    }
}

/// An odd number of this length, the same for the same index.
private func modulus(_ index: Int, bits: Int) -> BigUInt {
    var random = SeededGenerator(seed: UInt64(index) << 32 | UInt64(bits))
    return BigUInt.randomInteger(withExactWidth: bits, using: &random) | 1
}

/// The first key from a number on that has none of the weaknesses, so that every check runs to its end.
private func soundKey(bits: Int) -> PublicKeyMaterial {
    var number = modulus(0, bits: bits)
    while true {
        let key = PublicKeyMaterial.rsa(RSAPublicKey(modulus: number, exponent: 65_537))
        if key.weaknesses().isEmpty { return key }
        number += 2
    }
}
