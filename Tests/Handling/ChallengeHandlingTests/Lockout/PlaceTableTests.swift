import Sallyport
import TestSupport
import Testing

@testable import ChallengeHandling

@Suite struct PlaceTableTests {
    /// A seed for the sequence of operations.
    private struct Steps {
        var state: UInt64

        mutating func next(below bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
    }

    private func value(_ place: Place, in table: PlaceTable<Int>) -> Int? { table.index(of: place).map { table[$0] } }

    @Test("An empty table has no places") func empty() {
        let table = PlaceTable<Int>()
        #expect(table.count == 0)
        #expect(table.index(of: Place(host: "wiki.acme.example", isProxy: false)) == nil)
    }

    @Test("A table and a dictionary agree while places come and go", arguments: Effort.seeds(4, thorough: 16))
    func agreesWithDictionary(seed: UInt64) {
        var steps = Steps(state: seed)
        var table = PlaceTable<Int>()
        var oracle: [String: Int] = [:]
        for number in 0..<3_000 {
            let name = "\(steps.next(below: 2_000))"
            let (host, isProxy) = ("h\(name.dropLast()).example", name.hasSuffix("7"))
            let place = Place(host: host, isProxy: isProxy)
            let key = "\(isProxy) \(host)"
            #expect(value(place, in: table) == oracle[key])
            if oracle[key] == nil {
                let index = table.add(number, at: place)
                #expect(table[index] == number)
                oracle[key] = number
            }
            if steps.next(below: 3) == 0 {
                // Forgets one multiple of 3 if there is one, otherwise one multiple of 5.
                var forgotten: [Int] = []
                let before = Set(table.indices.map { table[$0] })
                let isForgotten = table.forgetOne { $0.isMultiple(of: 3) ? .none : $0.isMultiple(of: 5) ? .some : .all }
                forgotten = Array(before.subtracting(table.indices.map { table[$0] }))
                #expect(forgotten.count == (isForgotten ? 1 : 0))
                if !isForgotten { #expect(!before.contains { $0.isMultiple(of: 3) || $0.isMultiple(of: 5) }) }
                oracle = oracle.filter { !forgotten.contains($1) }
            }
            #expect(table.count == oracle.count)
        }
        for (key, number) in oracle {
            let parts = key.split(separator: " ")
            #expect(value(Place(host: String(parts[1]), isProxy: parts[0] == "true"), in: table) == number)
        }
    }

    @Test("Every place can be forgotten, and new ones added after that") func forgetsAll() {
        var table = PlaceTable<Int>()
        let places = (0..<100).map { Place(host: "h\($0).example", isProxy: false) }
        for (number, place) in places.enumerated() { _ = table.add(number, at: place) }
        for _ in places { #expect(table.forgetOne { _ in .some }) }
        #expect(!table.forgetOne { _ in .none })
        #expect(table.count == 0)
        #expect(places.allSatisfy { table.index(of: $0) == nil })
        _ = table.add(7, at: places[42])
        #expect(value(places[42], in: table) == 7 && value(places[41], in: table) == nil)
    }
}
