import Hostnames
import SPKIPins
import Sallyport
import TestSupport
import Testing

@Suite struct ServerTrustTests {
    let genuine: (host: Hostname, der: [[UInt8]])
    let rogue: (host: Hostname, der: [[UInt8]])

    init() throws {
        genuine = try RecordedChain.first("pin-leaf", reason: "pinned")
        rogue = try RecordedChain.first("pin-rogue", reason: "pin-mismatch")
    }

    /// A handler that pins the genuine leaf's key.
    func handler(expiry: Int64? = nil, mode: PinPolicy.Mode = .enforce) throws -> ChallengeHandler {
        let leaf = genuine.der[0]
        let key = try Pin(ofCertificate: leaf.span)
        let spare = try Pin(parsing: String(repeating: "ab", count: 32))
        var profile = try TestProfile.make()
        profile.pins = [
            PinPolicy.Entry(
                host: genuine.host.description,
                pins: [.init(key, at: .leaf)],
                backup: .pins([.init(spare)]),
                expiry: expiry,
                mode: mode
            )
        ]
        return try ChallengeHandler(profile: profile, at: 0)
    }

    func trust(_ host: Hostname, _ der: [[UInt8]]?) throws -> ServerTrust {
        ServerTrust(host: host, chain: try der.map { try ValidatedChain(assertingValidated: $0) })
    }

    @Test(.row(84)) func thePinnedKeyIsTrusted() throws {
        guard case .trusted(.matched(let match)) = try handler().evaluate(trust(genuine.host, genuine.der), now: 0)
        else {
            Issue.record("the pinned key was not recognised")
            return
        }
        #expect(match.certificateIndex == 0 && !match.isBackup)
    }

    @Test(.row(83)) func aValidChainWithAnotherKeyIsRejected() throws {
        guard case .rejected(.pinMismatch) = try handler().evaluate(trust(genuine.host, rogue.der), now: 0) else {
            Issue.record("a rogue chain was trusted")
            return
        }
    }

    @Test func theGenuineLeafInAnotherPositionDoesNotCount() throws {
        let decision = try handler().evaluate(trust(genuine.host, rogue.der + genuine.der), now: 0)
        guard case .rejected(.pinMismatch) = decision else {
            Issue.record("an appended certificate satisfied a leaf pin")
            return
        }
    }

    @Test func anInvalidChainIsRejectedWhateverIsPinned() throws {
        #expect(try handler().evaluate(trust(genuine.host, nil), now: 0) == .rejected(.chainNotValidated))
        let unpinned = try TestProfile.handler()
        #expect(try unpinned.evaluate(trust(genuine.host, nil), now: 0) == .rejected(.chainNotValidated))
    }

    @Test(.row(80)) func withoutPinsValidationDecides() throws {
        let unpinned = try TestProfile.handler()
        #expect(try unpinned.evaluate(trust(genuine.host, rogue.der), now: 0) == .validatedOnly(nil))
        let other = try Hostname(parsing: "other.acme.example")
        guard case .validatedOnly(.notPinned) = try handler().evaluate(trust(other, rogue.der), now: 0) else {
            Issue.record("a host without pins is judged by pins")
            return
        }
    }

    @Test func expiredPinsThatEnforceReject() throws {
        let enforcing = try handler(expiry: 100)
        guard case .trusted = try enforcing.evaluate(trust(genuine.host, genuine.der), now: 99) else {
            Issue.record("pins expire before their time")
            return
        }
        guard case .rejected(.pinsExpired) = try enforcing.evaluate(trust(genuine.host, genuine.der), now: 100) else {
            Issue.record("expired pins have become no pins")
            return
        }
    }

    @Test("Without a time of the caller, pins expire by the system's clock", arguments: [(Int64(1), 1), (.max, 0)])
    func systemClock(expiry: Int64, expired: Int) throws {
        let profile = try handler(expiry: expiry).compiled.profile
        #expect(try CompiledProfile(profile).expiredPins.count == expired)
        #expect(try ChallengeHandler(profile: profile).compiled.expiredPins.count == expired)
        let observed = try ChallengeHandler(profile: profile, observer: EventObserver { _ in })
        #expect(observed.compiled.expiredPins.count == expired)
    }

    @Test func reportOnlyNeverRejects() throws {
        let reporting = try handler(expiry: 100, mode: .reportOnly)
        guard case .validatedOnly(.reportOnlyMismatch) = try reporting.evaluate(trust(genuine.host, rogue.der), now: 0)
        else {
            Issue.record("a report-only mismatch decides")
            return
        }
        guard case .validatedOnly(.expiredPolicy) = try reporting.evaluate(trust(genuine.host, rogue.der), now: 100)
        else {
            Issue.record("an expired report-only entry decides")
            return
        }
    }

    @Test func dispositions() throws {
        let handler = try handler()
        guard case .cancel = handler.handle(.serverTrust(try trust(genuine.host, rogue.der), now: 0)) else {
            Issue.record("a rogue server is not cancelled")
            return
        }
        guard case .useCredential(.trust) = handler.handle(.serverTrust(try trust(genuine.host, genuine.der), now: 0))
        else {
            Issue.record("a pinned server is not trusted")
            return
        }
    }
}
