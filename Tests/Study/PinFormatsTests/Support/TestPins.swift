import SPKIPins

/// The two pins of RFC 7469 2.1.5.
let one = "d6qzRu9zOECb90Uez27xWltNsj0e1Md7GkYYkVoZWmM="
let two = "E9CZ9INDbd+2eRQozYqqbQ2yXLVKB9+xcprMF+44U1g="

func numbered(_ number: UInt8) -> Pin {
    let bytes = [number]
    return Pin(hashing: bytes.span)
}
