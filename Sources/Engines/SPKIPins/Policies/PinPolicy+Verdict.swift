public import Hostnames
internal import WireFormat

extension PinPolicy {
    /// Decides whether a validated chain has a key that the policy expects of `host`.
    ///
    /// The most specific pattern decides alone: the exact host before any wildcard, a longer wildcard before a shorter one,
    /// `*.` before `**.` of the same host. Pins of wider patterns do not count then. Among the pins, a forbidden one comes
    /// before everything, also after the expiry; a primary one is preferred to a backup; after that, the certificate
    /// nearest to the leaf.
    ///
    /// - Parameters:
    ///   - host: the host that the connection was asked for, and that the chain was validated for.
    ///   - chain: the result of a validation, as its initialiser asserts.
    ///   - now: seconds since 1970-01-01T00:00:00Z. Before the time of compiling no entry has expired.
    ///   - memo: pins of keys seen before, shared by any number of threads; `nil` to hash each key anew.
    /// - Complexity: O(*n*) in the bytes of the host and of the keys that it needs; no allocation, no text.
    public func verdict(for host: Hostname, chain: ValidatedChain, now: Int64, memo: PinMemo? = nil) -> PinVerdict {
        compiled.storage.withSpan { bytes in
            switch HostTable(layout: compiled.layout).find(host, in: bytes) {
            case .none(let reason): .notPinned(PinAbsence(reason: reason, policyVersion: version))
            case .entry(let found):
                verdict(
                    of: CompiledPinPolicy.Entry(at: found.offset, in: bytes),
                    chain,
                    now: now,
                    memo: memo,
                    in: bytes
                )
            }
        }
    }

    /// The index of the entry that decides for `host`, or `nil`.
    package func entryIndex(for host: Hostname) -> Int? {
        compiled.storage.withSpan { bytes in
            switch HostTable(layout: compiled.layout).find(host, in: bytes) {
            case .none: nil
            case .entry(let found): found.index
            }
        }
    }

    @inline(__always)
    private func verdict(
        of entry: CompiledPinPolicy.Entry,
        _ chain: ValidatedChain,
        now: Int64,
        memo: PinMemo?,
        in bytes: Span<UInt8>
    ) -> PinVerdict {
        let match: PinMatch?
        switch outcome(of: entry, chain.contents.certificates.span, memo, in: bytes) {
        case .forbidden(let pin, let certificate):
            return .forbiddenKey(
                ForbiddenKey(
                    pin: pin,
                    certificateIndex: certificate,
                    mode: entry.mode,
                    entry: entry.index,
                    policyVersion: version
                )
            )
        case .match(let found): match = found
        }
        if now >= entry.expiry, entry.expiry != .max {
            return .expiredPolicy(
                PinExpiry(
                    expiry: entry.expiry,
                    now: now,
                    mode: entry.mode,
                    match: match,
                    entry: entry.index,
                    policyVersion: version
                )
            )
        }
        if let match { return .matched(match) }
        let mismatch = PinMismatch(chain: chain, policy: self, entry: entry.index)
        return entry.mode == .enforce ? .mismatched(mismatch) : .reportOnlyMismatch(mismatch)
    }

    private enum Outcome {
        case forbidden(Pin, certificate: Int)
        case match(PinMatch?)
    }

    @inline(__always)
    private func outcome(
        of entry: CompiledPinPolicy.Entry,
        _ certificates: Span<[UInt8]>,
        _ memo: PinMemo?,
        in bytes: Span<UInt8>
    ) -> Outcome {
        var best: PinMatch?
        for index in certificates.indices {
            // A certificate that cannot be read has no pin and matches nothing; the other certificates still count.
            guard let pin = Self.pin(of: certificates[index].span, memo),
                let found = entry.table.slot(of: pin, in: bytes)
            else { continue }
            let member = entry.table.member(at: found, in: bytes)
            assert(member.pin == pin)
            if member.role == .forbidden { return .forbidden(pin, certificate: index) }
            guard member.position.accepts(index: index, of: certificates.count) else { continue }
            let isBackup = member.role == .backup
            guard best.map({ $0.isBackup && !isBackup }) ?? true else { continue }
            best = PinMatch(
                pin: pin,
                certificateIndex: index,
                position: member.position,
                isBackup: isBackup,
                entry: entry.index,
                policyVersion: version
            )
            if !isBackup, !entry.hasForbidden { break }
        }
        return .match(best)
    }

    @inline(__always)
    private static func pin(of certificate: Span<UInt8>, _ memo: PinMemo?) -> Pin? {
        do throws(CertificateError) {
            let walk = try CertificateWalk(of: certificate)
            let key = certificate.extracting(walk.subjectPublicKeyInfo.range)
            return memo?.pin(of: key) ?? Pin(hashing: key)
        } catch {
            return nil
        }
    }
}
