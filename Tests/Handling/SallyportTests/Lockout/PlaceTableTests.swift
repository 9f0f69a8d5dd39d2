import Testing

@testable import Sallyport

@Suite struct PlaceTableTests {
    private typealias Place = LockoutBudget.Place

    /// A seed for the sequence of what is done.
    private struct Steps {
        var state: UInt64

        mutating func next(below bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
    }

    @Test func anEmptyTableKnowsNothing() {
        let table = PlaceTable<Int>()
        #expect(table.count == 0)
        #expect(table[Place(host: "wiki.acme.example", isProxy: false)] == nil)
    }

    @Test("A table and a dictionary agree, while it grows and forgets", arguments: UInt64(1)...16)
    func agreesWithDictionary(seed: UInt64) {
        var steps = Steps(state: seed)
        var table = PlaceTable<Int>()
        var oracle: [String: Int] = [:]
        for number in 0..<3_000 {
            let name = "\(steps.next(below: 2_000))"
            let (host, isProxy) = ("h\(name.dropLast()).example", name.hasSuffix("7"))
            let place = Place(host: host, isProxy: isProxy)
            let key = "\(isProxy) \(host)"
            #expect(table[place] == oracle[key])
            if oracle[key] == nil {
                table.add(number, at: place)
                oracle[key] = number
            }
            if steps.next(below: 500) == 0 {
                table.keep { !$0.isMultiple(of: 3) }
                oracle = oracle.filter { !$1.isMultiple(of: 3) }
            }
            #expect(table.count == oracle.count)
        }
        for (key, number) in oracle {
            let parts = key.split(separator: " ")
            #expect(table[Place(host: String(parts[1]), isProxy: parts[0] == "true")] == number)
        }
    }

    @Test func everythingCanBeForgotten() {
        var table = PlaceTable<Int>()
        let places = (0..<100).map { Place(host: "h\($0).example", isProxy: false) }
        for (number, place) in places.enumerated() { table.add(number, at: place) }
        table.keep { _ in false }
        #expect(table.count == 0)
        #expect(places.allSatisfy { table[$0] == nil })
        table.add(7, at: places[42])
        #expect(table[places[42]] == 7 && table[places[41]] == nil)
    }
}
