internal import BigInt

/// The curves of FIPS 186-4 D.1.2 that certificates use: y² = x³ − 3x + b modulo a prime.
package enum NamedCurve: String, CaseIterable, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The contents of the curve's object identifier (RFC 5480 2.1.1.1).
    var objectIdentifier: [UInt8] {
        switch self {
        case .p256: [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        case .p384: [0x2B, 0x81, 0x04, 0x00, 0x22]
        case .p521: [0x2B, 0x81, 0x04, 0x00, 0x23]
        }
    }

    /// Bits of the field, which a key's size is told by.
    package var bits: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// Bytes of a coordinate.
    var coordinateBytes: Int { (bits + 7) / 8 }

    /// The prime, b, and the x of the generator.
    var numbers: CurveNumbers {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        }
    }
}

/// What makes a named curve; FIPS 186-4 D.1.2.3 to D.1.2.5.
struct CurveNumbers: Sendable {
    let prime: BigUInt
    let b: BigUInt
    let generatorX: BigUInt

    /// Most significant word first.
    private init(prime: BigUInt, b: [UInt], generatorX: [UInt]) {
        self.prime = prime
        self.b = BigUInt(words: b.reversed())
        self.generatorX = BigUInt(words: generatorX.reversed())
    }

    static let p256 = CurveNumbers(
        prime: (1 << 256) - (1 << 224) + (1 << 192) + (1 << 96) - 1,
        b: [0x5AC6_35D8_AA3A_93E7, 0xB3EB_BD55_7698_86BC, 0x651D_06B0_CC53_B0F6, 0x3BCE_3C3E_27D2_604B],
        generatorX: [0x6B17_D1F2_E12C_4247, 0xF8BC_E6E5_63A4_40F2, 0x7703_7D81_2DEB_33A0, 0xF4A1_3945_D898_C296]
    )

    static let p384 = CurveNumbers(
        prime: (1 << 384) - (1 << 128) - (1 << 96) + (1 << 32) - 1,
        b: [
            0xB331_2FA7_E23E_E7E4, 0x988E_056B_E3F8_2D19, 0x181D_9C6E_FE81_4112, 0x0314_088F_5013_875A,
            0xC656_398D_8A2E_D19D, 0x2A85_C8ED_D3EC_2AEF,
        ],
        generatorX: [
            0xAA87_CA22_BE8B_0537, 0x8EB1_C71E_F320_AD74, 0x6E1D_3B62_8BA7_9B98, 0x59F7_41E0_8254_2A38,
            0x5502_F25D_BF55_296C, 0x3A54_5E38_7276_0AB7,
        ]
    )

    static let p521 = CurveNumbers(
        prime: (1 << 521) - 1,
        b: [
            0x51, 0x953E_B961_8E1C_9A1F, 0x929A_21A0_B685_40EE, 0xA2DA_725B_99B3_15F3, 0xB8B4_8991_8EF1_09E1,
            0x5619_3951_EC7E_937B, 0x1652_C0BD_3BB1_BF07, 0x3573_DF88_3D2C_34F1, 0xEF45_1FD4_6B50_3F00,
        ],
        generatorX: [
            0xC6, 0x858E_06B7_0404_E9CD, 0x9E3E_CB66_2395_B442, 0x9C64_8139_053F_B521, 0xF828_AF60_6B4D_3DBA,
            0xA14B_5E77_EFE7_5928, 0xFE1D_C127_A2FF_A8DE, 0x3348_B3C1_856A_429B, 0xF97E_7E31_C2E5_BD66,
        ]
    )
}
