/// The requests that wait for an attempt to end, first come first served.
///
/// A freed attempt is *granted* to the first of the queue, and no other request may take it until the grant ends.
struct WaitQueue: Sendable {
    /// How long a granted request has until the next one gets the grant: its task only has to run.
    static let grantLimit: Int64 = 1_000_000_000

    /// The numbers of the waiting requests, ascending; those before `head` have left.
    private var numbers: [UInt64] = []
    private var head = 0
    private var grant: (number: UInt64, end: MonotonicTime)?

    var isEmpty: Bool { head == numbers.count && grant == nil }

    /// When the grant of another request than `number` ends; `nil` if there is none.
    mutating func endOfGrant(toOtherThan number: UInt64?, now: MonotonicTime) -> MonotonicTime? {
        guard let grant, grant.number != number else { return nil }
        guard grant.end > now else {
            self.grant = nil
            return nil
        }
        return grant.end
    }

    /// Adds a request, at the place of its number if it has waited before.
    mutating func add(_ number: UInt64) {
        let index = index(of: number)
        if index == numbers.count || numbers[index] != number { numbers.insert(number, at: index) }
    }

    /// Removes a request, which begins, gives up or asks again. Returns whether it held the grant.
    mutating func remove(_ number: UInt64) -> Bool {
        if grant?.number == number {
            grant = nil
            return true
        }
        let index = index(of: number)
        if index < numbers.count, numbers[index] == number { numbers.remove(at: index) }
        dropHead()
        return false
    }

    /// The first index of a number that is not smaller.
    private func index(of number: UInt64) -> Int {
        var low = head
        var high = numbers.count
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The number of the first request, which does not hold the grant.
    var first: UInt64? { head < numbers.count ? numbers[head] : nil }

    /// Grants the freed attempt to the first request, and returns its number.
    mutating func grantFirst(now: MonotonicTime) -> UInt64? {
        guard grant == nil, let number = first else { return nil }
        head += 1
        dropHead()
        grant = (number, now + Self.grantLimit)
        return number
    }

    /// Empties the queue and returns all numbers: each request asks again.
    mutating func takeAll() -> [UInt64] {
        defer { self = WaitQueue() }
        return (grant.map { [$0.number] } ?? []) + numbers[head...]
    }

    /// Frees the front of the array once it is more than half of it, so that leaving costs O(1) on average.
    private mutating func dropHead() {
        guard head > numbers.count / 2 else { return }
        numbers.removeFirst(head)
        head = 0
    }
}
