import SPKIPins

// SHA-256 of "abc" (FIPS 180-4, example 1), as a pin is written.
let pin = try Pin(parsing: "sha256/ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
print(pin, pin == Pin(hashing: Array("abc".utf8).span))
