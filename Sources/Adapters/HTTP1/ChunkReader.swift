/// Reads chunks and trailers. In requests every line ends with CR LF, and nothing is guessed (RFC 9112 section 7.1).
///
/// A response may have zeros before a chunk's size, blanks after the size, and lines that end with a line feed alone. Its trailers may have the
/// forms of ``ResponseMending``. ``mendings`` says how to pass all of this on in the strict form.
package struct ChunkReader {
    /// What to leave out or to add, so that the bytes have the strict form.
    package enum Mending: Equatable {
        /// The byte at this place is left out.
        case omit(Int)
        /// A carriage return goes before the line feed at this place.
        case addReturn(Int)
        /// Before the byte at this place, or at the end, these bytes are added.
        case insert(Int, [UInt8])

        fileprivate var place: Int {
            switch self {
            case .omit(let place), .addReturn(let place), .insert(let place, _): place
            }
        }
    }

    package enum State {
        case size
        case blanks
        case extensions
        case sizeEnd
        case data
        case dataEnd
        case dataLineFeed
        /// Inside the trailers of a response, which are written anew at their end.
        case collecting
        /// The first byte of a line of the trailers.
        case trailer
        case trailerName
        case trailerValue
        case trailerLineFeed
        case lastLineFeed
        case ended
    }

    package let isLenient: Bool
    /// What was mended in the bytes of the last call.
    package private(set) var mendings: [Mending] = []
    package private(set) var state = State.size
    /// The size as far as it is read, then the bytes that are left of the chunk.
    private var left = 0
    private var digits = 0
    /// The bytes of this chunk's extensions, or of the trailers.
    private var lineBytes = 0
    private var trailers = 0
    private var name: [UInt8] = []
    /// The trailers of a response as they came; at most ``HeadLimits/trailers`` bytes.
    private var collected: [UInt8] = []

    /// The most hexadecimal digits of a size: those of 2^63 - 1, and the one zero that may be left before it.
    private static let mostDigits = 17

    package init(isLenient: Bool = false) { self.isLenient = isLenient }

    package var isAtEnd: Bool { state == .ended }

    /// Reads bytes up to the end of the body, and calls `data` with the ranges of the chunks' data.
    package mutating func advance(over bytes: Span<UInt8>, data: (Range<Int>) -> Void) throws(HeadDefect) -> Int {
        let (count, defect) = advanceInOrder(over: bytes, data: data)
        if let defect { throw defect }
        return count
    }

    /// The same with how many bytes are in order before a defect: those up to the line that has it.
    package mutating func advanceInOrder(over bytes: Span<UInt8>, data: (Range<Int>) -> Void) -> (
        count: Int, defect: HeadDefect?
    ) {
        var inOrder = 0
        do throws(HeadDefect) { return (try read(bytes, &inOrder, data: data), nil) } catch {
            mendings.removeAll { $0.place >= inOrder }
            return (inOrder, error)
        }
    }

    private mutating func read(
        _ bytes: Span<UInt8>,
        _ inOrder: inout Int,
        data: (Range<Int>) -> Void
    ) throws(HeadDefect) -> Int {
        var index = 0
        if !mendings.isEmpty { mendings = [] }
        while index < bytes.count, state != .ended {
            if state == .data {
                let count = min(left, bytes.count - index)
                data(index..<index + count)
                left -= count
                index += count
                inOrder = index
                if left == 0 { state = .dataEnd }
                continue
            }
            if state == .size, digits == 0 { inOrder = index }
            let byte = bytes[index]
            if isLenient, state == .collecting || state == .trailer && byte != 0x0D && byte != 0x0A {
                state = .collecting
                mendings.append(.omit(index))
                index += 1
                try collect(byte, before: index)
                continue
            }
            if isLenient, byte == 0x0A, endsLine {
                mendings.append(.addReturn(index))
                // The carriage return that is missing, and then the line feed.
                try step(0x0D)
            } else if isLenient, byte.isBlank, state == .size && digits > 0 || state == .blanks {
                mendings.append(.omit(index))
                state = .blanks
                index += 1
                try countBesideSize()
                continue
            } else if isLenient, byte == UInt8(ascii: "0"), state == .size, digits > 0, left == 0 {
                // Zeros before the size are legal (section 7.1). Recipients bound the digits, curl at 16, so that one zero is passed on.
                mendings.append(.omit(index))
                index += 1
                try countBesideSize()
                continue
            }
            index += 1
            try step(byte)
        }
        return index
    }

    /// Whether a carriage return would be taken here, so that a line feed alone may stand for it.
    private var endsLine: Bool {
        switch state {
        case .size: digits > 0
        case .blanks, .extensions, .dataEnd, .trailer: true
        default: false
        }
    }

    /// Takes a byte of a response's trailers. After their last one, at `place`, their strict form is checked and added.
    private mutating func collect(_ byte: UInt8, before place: Int) throws(HeadDefect) {
        guard collected.count < HeadLimits.trailers else { throw .trailersTooLong }
        collected.append(byte)
        guard byte == 0x0A, collected.ends(with: [0x0A, 0x0A]) || collected.ends(with: [0x0A, 0x0D, 0x0A]) else {
            return
        }
        guard let mended = ResponseMending.mended(trailers: collected, Self.mayBeTrailer) else { throw .trailer }
        collected = []
        state = .trailer
        for byte in mended { try takeTrailer(byte) }
        mendings.append(.insert(place, mended))
    }

    /// Counts a byte beside a chunk's size.
    private mutating func countBesideSize() throws(HeadDefect) {
        lineBytes += 1
        guard lineBytes <= HeadLimits.chunkExtensions else { throw .chunkLineTooLong }
    }

    private mutating func step(_ byte: UInt8) throws(HeadDefect) {
        switch state {
        case .size, .blanks, .extensions, .sizeEnd: try takeSize(byte)
        case .dataEnd: state = try expect(0x0D, byte, .dataLineFeed)
        case .dataLineFeed:
            state = try expect(0x0A, byte, .size)
            (left, digits, lineBytes) = (0, 0, 0)
        default: try takeTrailer(byte)
        }
    }

    private mutating func takeSize(_ byte: UInt8) throws(HeadDefect) {
        switch state {
        case .size, .blanks:
            if state == .size, let value = byte.hexadecimalValue {
                digits += 1
                // In requests all digits count, so that no reader behind the relay counts otherwise.
                guard left <= Int.max >> 4, digits <= Self.mostDigits else { throw .chunkTooLarge }
                left = left << 4 | value
            } else if digits > 0, byte == 0x0D {
                state = .sizeEnd
            } else if digits > 0, byte == UInt8(ascii: ";") {
                state = .extensions
            } else {
                throw .chunk
            }
        case .extensions:
            try countBesideSize()
            if byte == 0x0D { state = .sizeEnd } else if !byte.isFieldByte { throw .chunk }
        default:
            state = try expect(0x0A, byte, left == 0 ? .trailer : .data)
            lineBytes = 0
        }
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(HeadDefect) {
        lineBytes += 1
        guard lineBytes <= HeadLimits.trailers else { throw .trailersTooLong }
        switch state {
        case .trailer:
            if byte == 0x0D {
                state = .lastLineFeed
                return
            }
            guard byte.isToken else { throw .trailer }
            guard trailers < (isLenient ? HeadLimits.responseFields : HeadLimits.fields) else { throw .tooManyTrailers }
            trailers += 1
            name = [byte]
            state = .trailerName
        case .trailerName:
            if byte.isToken {
                name.append(byte)
            } else {
                guard byte == UInt8(ascii: ":"), Self.mayBeTrailer(name) else { throw .trailer }
                state = .trailerValue
            }
        case .trailerValue:
            if byte == 0x0D { state = .trailerLineFeed } else if !byte.isFieldByte { throw .trailer }
        case .trailerLineFeed:
            guard byte == 0x0A else { throw .trailer }
            state = .trailer
        default:
            guard byte == 0x0A else { throw .trailer }
            state = .ended
        }
    }

    private func expect(_ wanted: UInt8, _ byte: UInt8, _ next: State) throws(HeadDefect) -> State {
        guard byte == wanted else { throw .chunk }
        return next
    }

    /// RFC 9110 section 6.5.1: fields about framing, routing and authentication are not allowed in trailers. The fields of one hop are not
    /// passed on. Trailers of requests are passed on as they come, and those of responses are written anew.
    private static func mayBeTrailer(_ name: [UInt8]) -> Bool {
        // A line without a name is kept here, so that the strict reading after this refuses it.
        if name.isEmpty { return true }
        if KnownField(name.span, 0..<name.count) != nil { return false }
        return !forbidden.contains(name.map(\.lowercased))
    }

    private static let forbidden: Set<[UInt8]> = Set(
        [
            "authorization", "cache-control", "content-encoding", "content-range", "content-type", "cookie",
            "max-forwards",
            "range", "set-cookie", "trailer", "www-authenticate",
        ].map { Array($0.utf8) }
    )
}

extension [UInt8] {
    fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}
