internal import Corpora
internal import SPKIPins

/// Replays one strategy at one host, from the first capture to the last.
struct HostReplay {
    /// Pins that are shipped at `time`, in seconds since 1970.
    struct Release {
        let time: Int64
        let pins: [PinChoice]
    }

    private let history: ChainHistory
    private let host: Int
    private let strategy: PinningStrategy
    private let parameters: StudyParameters
    private let captures: [ChainHistory.Capture]
    private let served: ServedChains
    /// The pins that would be shipped after each capture; equal neighbours share one array.
    private let pins: [[PinChoice]]
    /// Whether the pins after a capture equal the pins after the previous capture.
    private let isUnchanged: [Bool]
    private let releases: [Release]
    /// Seconds after which every user has a release or a newer one.
    private let completeSeconds: Int64

    init(
        _ history: ChainHistory,
        host: Int,
        _ served: ServedChains,
        strategy: PinningStrategy,
        parameters: StudyParameters
    ) {
        self.history = history
        self.served = served
        self.host = host
        self.strategy = strategy
        self.parameters = parameters
        captures = history.hosts[host].captures
        var pins: [[PinChoice]] = []
        pins.reserveCapacity(captures.count)
        var isUnchanged: [Bool] = []
        isUnchanged.reserveCapacity(captures.count)
        var releases: [Release] = []
        releases.reserveCapacity(captures.count)
        let reaction = Int64((parameters.reactionDays * 86_400).rounded())
        for (index, capture) in captures.enumerated() {
            let now = strategy.pins(history, host: host, count: index + 1, now: capture.first)
            let same = index > 0 && now == pins[index - 1]
            isUnchanged.append(same)
            pins.append(same ? pins[index - 1] : now)
            // Users start with the first pins, so their release has no reaction time.
            if !same { releases.append(Release(time: capture.first + (index == 0 ? 0 : reaction), pins: now)) }
        }
        completeSeconds = parameters.curve.completeSeconds
        self.pins = pins
        self.isUnchanged = isUnchanged
        self.releases = releases
    }

    /// Whether pins accept a chain; an empty list accepts every chain.
    private func accept(_ pins: [PinChoice], _ chain: Int32) -> Bool {
        if pins.isEmpty { return true }
        for pin in pins where history.has(pin, chain: chain) { return true }
        return false
    }

    /// The record of this host, without size and latencies of a compiled set.
    func record() -> HostRecord {
        var record = HostRecord(host: history.hosts[host].endpoint.description)
        record.lives = lives()
        for index in captures.indices.dropFirst() where !accept(pins[index - 1], captures[index].chain) {
            record.outages += 1
        }
        record.observedDays = Double(served.end - served.start) / 86_400
        (record.hostDays, record.userDays) = refusedDays()
        let last = pins[pins.count - 1]
        record.pins = last.count
        record.mostPins = releases.reduce(0) { max($0, $1.pins.count) }
        record.exposure = exposure(of: last)
        record.impostors = impostors()
        record.leaks = leaks()
        return record
    }

    private func exposure(of pins: [PinChoice]) -> Exposure {
        if pins.isEmpty { return history.authorities.unpinned }
        return history.authorities.impersonators(
            own: history.chains[Int(captures[captures.count - 1].chain)].leafKey,
            accepting: pins.lazy.map { pin in
                let key = pin.certificate < 0 ? pin.key : history.leafKey(ofCertificate: pin.certificate)
                return (key, pin.position != .leaf)
            }
        )
    }

    // MARK: - How long pins live

    private func lives() -> [PinLife] {
        switch parameters.starts {
        case .everyCapture: livesFromCaptures()
        case .grid(let days): livesFromGrid(days)
        }
    }

    private func livesFromCaptures() -> [PinLife] {
        let end = served.end
        var failures = [Int](repeating: captures.count, count: captures.count)
        for index in captures.indices.reversed() {
            let next = index + 1
            if next < captures.count, isUnchanged[next], accept(pins[index], captures[next].chain) {
                // The same pins at the next capture fail at the same capture.
                failures[index] = failures[next]
            } else {
                failures[index] = failure(of: pins[index], from: next)
            }
        }
        return captures.indices.map { index in
            life(from: captures[index].first, failure: failures[index], end: end)
        }
    }

    private func livesFromGrid(_ days: Int) -> [PinLife] {
        let end = served.end
        var lives: [PinLife] = []
        var count = 0
        var time = captures[0].first
        while time <= end {
            while count < captures.count, captures[count].first <= time { count += 1 }
            let pins = strategy.pins(history, host: host, count: count, now: time)
            lives.append(life(from: time, failure: failure(of: pins, from: count), end: end))
            time += Int64(days) * 86_400
        }
        return lives
    }

    /// The index of the first capture at or after `start` that `pins` refuse; the number of captures if they refuse
    /// none.
    private func failure(of pins: [PinChoice], from start: Int) -> Int {
        var accepted: Int32 = -1
        for index in start..<captures.count where captures[index].chain != accepted {
            guard accept(pins, captures[index].chain) else { return index }
            accepted = captures[index].chain
        }
        return captures.count
    }

    private func life(from start: Int64, failure: Int, end: Int64) -> PinLife {
        guard failure < captures.count else { return PinLife(alive: max(0, end - start), dead: nil) }
        // The observed times of two chains may overlap; then both bounds are the first sight of the new chain.
        let dead = max(0, captures[failure].first - start)
        return PinLife(alive: min(dead, max(0, captures[failure - 1].last - start)), dead: dead)
    }

    // MARK: - Outages

    /// The releases that refuse a chain, among those that a user can have while the chain is served.
    private struct Refusals {
        let oldest: Int
        /// One flag per release, from `oldest` to the newest that a user can have.
        let byRelease: [Bool]
    }

    /// Days during which the newest pins refused the host, and days during which an average user's pins refused it.
    private func refusedDays() -> (hosts: Bounds, users: Bounds) {
        var (hosts, users) = (Bounds(early: 0, late: 0), Bounds(early: 0, late: 0))
        var newest = 0
        for run in served.runs {
            while newest + 1 < releases.count, releases[newest + 1].time < run.late.upperBound { newest += 1 }
            // Computed once, because both bounds and both curves use the same releases. Most chains are accepted by all
            // releases.
            guard let refusals = refusals(of: run.chain, from: run.early.lowerBound, newest: newest) else { continue }
            hosts.early += refusedDays(refusals, run.early, .immediate, isOverAfter: 0)
            hosts.late += refusedDays(refusals, run.late, .immediate, isOverAfter: 0)
            users.early += refusedDays(refusals, run.early, parameters.curve, isOverAfter: completeSeconds)
            users.late += refusedDays(refusals, run.late, parameters.curve, isOverAfter: completeSeconds)
        }
        return (hosts, users)
    }

    /// The releases that refuse `chain`, among those that a user can have from `start` on; `nil` if all accept it.
    ///
    /// - Complexity: linear in the releases that a user can still have; if the curve never reaches 1, these are all
    ///   releases.
    private func refusals(of chain: Int32, from start: Int64, newest: Int) -> Refusals? {
        var oldest = newest
        while oldest > 0, start - releases[oldest].time < completeSeconds { oldest -= 1 }
        var byRelease: [Bool] = []
        for index in oldest...newest where !accept(releases[index].pins, chain) {
            if byRelease.isEmpty { byRelease = [Bool](repeating: false, count: newest - oldest + 1) }
            byRelease[index - oldest] = true
        }
        return byRelease.isEmpty ? nil : Refusals(oldest: oldest, byRelease: byRelease)
    }

    /// User-days, for one user, in which a chain was served and refused.
    ///
    /// - Parameter isOverAfter: seconds after which every user has a release or a newer one.
    private func refusedDays(
        _ refusals: Refusals,
        _ days: Range<Int64>,
        _ curve: UpdateCurve,
        isOverAfter: Int64
    ) -> Double {
        let (start, end) = (days.lowerBound, days.upperBound)
        guard start < end else { return 0 }
        /// User-days with this release or a newer one. Every user has at least the first release.
        func reached(_ index: Int) -> Double {
            if index == 0 { return Double(end - start) / 86_400 }
            guard index < releases.count else { return 0 }
            let time = releases[index].time
            return curve.area(toDays: Double(end - time) / 86_400) - curve.area(toDays: Double(start - time) / 86_400)
        }
        // The curve is evaluated only at the first and last of consecutive refusing releases.
        var sum = 0.0
        var wasRefused = false
        var last = 0
        for (place, isRefused) in refusals.byRelease.enumerated().reversed() {
            let index = refusals.oldest + place
            guard releases[index].time < end || index == 0 else { continue }
            if isRefused != wasRefused { sum += isRefused ? -reached(index + 1) : reached(index + 1) }
            (wasRefused, last) = (isRefused, index)
            if start - releases[index].time >= isOverAfter { break }
        }
        if wasRefused { sum += reached(last) }
        return sum
    }

    // MARK: - Impostors and leaks

    private func impostors() -> [ImpostorRecord] {
        if history.hosts[host].impostors.isEmpty { return [] }
        let end = history.hosts[host].end
        return history.hosts[host].impostors.map { impostor in
            let current = releases.lastIndex { $0.time <= impostor.first } ?? 0
            guard accept(releases[current].pins, impostor.chain) else {
                return ImpostorRecord(label: impostor.label, accepted: false, openDays: 0, isClosed: true)
            }
            let closing = releases[(current + 1)...].first { !accept($0.pins, impostor.chain) }
            let until = closing?.time ?? max(end, impostor.first)
            return ImpostorRecord(
                label: impostor.label,
                accepted: true,
                openDays: Double(until - impostor.first) / 86_400,
                isClosed: closing != nil
            )
        }
    }

    private func leaks() -> [LeakRecord] {
        if history.hosts[host].leaks.isEmpty { return [] }
        let recorded = history.hosts[host].end
        return history.hosts[host].leaks.map { leak in
            // A thief can use the chain only until its leaf expires.
            let expiry = history.recording.certificates[Int(history.chains[Int(leak.chain)].leaf)].notAfter
            let end = min(expiry, recorded)
            guard leak.time < end else { return LeakRecord(windowDays: 0, userDays: 0, isClosed: false) }
            let days = Double(end - leak.time) / 86_400
            let newest = releases.lastIndex { $0.time < end } ?? 0
            let refusals = refusals(of: leak.chain, from: leak.time, newest: newest)
            func refused(_ curve: UpdateCurve, _ isOverAfter: Int64) -> Double {
                refusals.map { refusedDays($0, leak.time..<end, curve, isOverAfter: isOverAfter) } ?? 0
            }
            let last = releases.lastIndex { $0.time <= end } ?? 0
            return LeakRecord(
                windowDays: days - refused(.immediate, 0),
                userDays: days - refused(parameters.curve, completeSeconds),
                isClosed: !accept(releases[last].pins, leak.chain)
            )
        }
    }

    /// The pins after the last capture.
    var lastPins: [PinChoice] { pins[pins.count - 1] }
}
