internal import RealModule

/// How shipped pins reach users: the share of users who have them after a number of days.
///
/// Each user has a fixed delay in days, the same for every release. Users who never update keep the first pins.
public enum UpdateCurve: Equatable, Sendable {
    /// All users get the pins at once.
    case immediate
    /// Every `halfLifeDays`, half of the remaining users get the pins.
    case exponential(halfLifeDays: Double)
    /// Linear interpolation between points, from (0, 0) to the last point; constant after it.
    case points([Point])

    /// After `days`, `share` of the users have the pins.
    public struct Point: Codable, Equatable, Sendable {
        /// Days since the pins were shipped.
        public let days: Double
        /// Share of users, from 0 to 1.
        public let share: Double

        /// After `days`, `share` of the users have the pins.
        public init(days: Double, share: Double) {
            self.days = days
            self.share = share
        }
    }

    /// The share of users who have pins that were shipped `days` ago.
    public func share(afterDays days: Double) -> Double {
        switch self {
        case .immediate: return days >= 0 ? 1 : 0
        case .exponential(let halfLife): return days <= 0 ? 0 : 1 - .exp2(-days / halfLife)
        case .points(let points):
            guard days > 0 else { return 0 }
            var from = Point(days: 0, share: 0)
            for point in points {
                if days < point.days {
                    return from.share + (point.share - from.share) * (days - from.days) / (point.days - from.days)
                }
                from = point
            }
            return from.share
        }
    }

    /// Days after which every user has the pins; infinite if some users never get them.
    var completeDays: Double {
        switch self {
        case .immediate: 0
        // After 54 half-lives the rest is 2⁻⁵⁴, and 1 − 2⁻⁵⁴ rounds to 1.
        case .exponential(let halfLife): 54 * halfLife
        case .points(let points): points.first { $0.share == 1 }?.days ?? .infinity
        }
    }

    /// ``completeDays`` in whole seconds, rounded up. More than 2⁵³ seconds, the limit of exact integers in a `Double`,
    /// count as never.
    var completeSeconds: Int64 {
        guard completeDays * 86_400 < 0x1p53 else { return .max }
        var seconds = max(0, Int64((completeDays * 86_400).rounded(.down)) - 1)
        while Double(seconds) / 86_400 < completeDays { seconds += 1 }
        return seconds
    }

    /// The area under the curve from 0 to `days`: days with the new pins for an average user.
    func area(toDays days: Double) -> Double {
        guard days > 0 else { return 0 }
        switch self {
        case .immediate: return days
        case .exponential(let halfLife):
            return days - (1 - .exp2(-days / halfLife)) * halfLife / .log(2)
        case .points(let points):
            var area = 0.0
            var from = Point(days: 0, share: 0)
            for point in points {
                let end = min(days, point.days)
                if end > from.days { area += (end - from.days) * (from.share + share(afterDays: end)) / 2 }
                if days <= point.days { return area }
                from = point
            }
            return area + (days - from.days) * from.share
        }
    }
}

extension UpdateCurve {
    /// The upper bound of points in a curve.
    public static let mostPoints = 1000

    /// Reads lines of `days,share`; empty lines and lines that start with `#` are ignored.
    public init(csv text: String) throws(UpdateCurveError) {
        var points: [Point] = []
        var from = Point(days: 0, share: 0)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
            guard !parts.isEmpty, !line.hasPrefix("#"), line.contains(where: { !$0.isWhitespace }) else { continue }
            guard parts.count == 2, let days = Double(parts[0]), let share = Double(parts[1]),
                days.isFinite, days >= 0, share >= 0, share <= 1
            else { throw .notAPoint(line: index + 1) }
            // A first point at 0 days gives the share of users who have the pins at once.
            let isFirst = points.isEmpty && days == 0
            guard isFirst || days > from.days, share >= from.share else { throw .goesBack(line: index + 1) }
            guard points.count < Self.mostPoints else { throw .tooManyPoints(limit: Self.mostPoints) }
            from = Point(days: days, share: share)
            points.append(from)
        }
        guard !points.isEmpty else { throw .noPoint }
        self = .points(points)
    }

    /// In one line.
    public var summary: String {
        switch self {
        case .immediate: "immediate"
        case .exponential(let halfLife): "exponential, half-life \(halfLife) days"
        case .points(let points): "\(points.count) points of a file"
        }
    }
}

/// Why a text cannot be read as an update curve.
public enum UpdateCurveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A line is not `days,share`.
    case notAPoint(line: Int)
    /// Days or shares fall.
    case goesBack(line: Int)
    /// The text has more points than ``UpdateCurve/mostPoints``.
    case tooManyPoints(limit: Int)
    /// The text has no points.
    case noPoint

    /// One line: the place, the problem and the remedy.
    public var description: String {
        switch self {
        case .notAPoint(let line): "line \(line) is not a point: write days, a comma, and a share from 0 to 1"
        case .goesBack(let line): "line \(line) is out of order: days must increase, and shares must not decrease"
        case .tooManyPoints(let limit): "more than \(limit) points: leave some out"
        case .noPoint: "the file has no points: write lines of days,share"
        }
    }
}
