/// A day of the Gregorian calendar, which is taken to reach back to the year 0.
///
/// Years start in March inside, so that the leap day comes last and months have a regular pattern of lengths. They are counted from 400
/// before the era, one whole cycle of 146 097 days, so no quotient is negative. 1970-01-01 is day 719 468 counted from 0000-03-01.
package struct CalendarDay: Equatable, Sendable {
    /// The year, from 0 to 9999.
    package let year: Int64
    /// The month, from 1.
    package let month: Int64
    /// The day of the month, from 1.
    package let day: Int64

    /// The seconds of a day; leap seconds do not exist here.
    package static let seconds: Int64 = 86_400
    private static let origin: Int64 = 719_468 + cycle
    private static let cycle: Int64 = 146_097

    package init(_ year: Int64, _ month: Int64, _ day: Int64) { (self.year, self.month, self.day) = (year, month, day) }

    /// The day that lies so many days after 1970-01-01.
    package init(since1970 days: Int64) {
        let day = days + Self.origin
        let ofCycle = day % Self.cycle
        let yearOfCycle = (ofCycle - ofCycle / 1460 + ofCycle / 36_524 - ofCycle / (Self.cycle - 1)) / 365
        let ofYear = ofCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        month = (monthFromMarch + 2) % 12 + 1
        year = yearOfCycle + day / Self.cycle * 400 - 400 + (month <= 2 ? 1 : 0)
        self.day = ofYear - (153 * monthFromMarch + 2) / 5 + 1
    }

    /// Days from 1970-01-01 to this one.
    package var since1970: Int64 {
        let year = year + 400 - (month <= 2 ? 1 : 0)
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - Self.origin
    }

    /// Days of a month, from 1.
    package static func count(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
