// Measures go-ntlmssp with the log-in of the environment; one line for every round.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	_ "unsafe" // for the two names below

	ntlmssp "github.com/Azure/go-ntlmssp"
)

// What the package does inside, under its own names.
//
//go:linkname getNtlmHash github.com/Azure/go-ntlmssp.getNtlmHash
func getNtlmHash(password string) []byte

//go:linkname computeNtlmV2Response github.com/Azure/go-ntlmssp.computeNtlmV2Response
func computeNtlmV2Response(key, serverChallenge, clientChallenge, timestamp, targetInfo []byte) []byte

var kept int

func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func measure(operation string, rounds, count int, body func() []byte) {
	for round := 0; round <= rounds; round++ {
		start := processorTime()
		for i := 0; i < count; i++ {
			kept += len(body())
		}
		// The first round warms up.
		if round > 0 {
			fmt.Printf("time\tgo-ntlmssp\t%s\t%f\n", operation, float64(processorTime()-start)/float64(count))
		}
	}
}

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	challenge, err := hex.DecodeString(os.Getenv("NTLM_CHALLENGE"))
	if err != nil {
		panic(err)
	}
	// It refuses servers that offer a key exchange.
	flags := binary.LittleEndian.Uint32(challenge[20:])
	binary.LittleEndian.PutUint32(challenge[20:], flags&^0x40000000)
	user, password := os.Getenv("NTLM_USER"), os.Getenv("NTLM_PASSWORD")
	hash := getNtlmHash(password)
	hexHash := hex.EncodeToString(hash)
	if _, err := ntlmssp.ProcessChallengeWithHash(challenge, user, hexHash); err != nil {
		panic(err)
	}

	fmt.Printf("about\tgo-ntlmssp\tDebian's %s, %s; the proof without session key; AUTHENTICATE from the NT hash without "+
		"channel binding, service name, integrity code and key exchange, in base64\n", os.Getenv("GO_NTLMSSP_VERSION"), runtime.Version())
	measure("nt-hash", rounds, 50000, func() []byte { return getNtlmHash(password) })
	eight, info := make([]byte, 8), make([]byte, 200-8-28-4)
	measure("proof-and-key/blob=200", rounds, 20000, func() []byte {
		return computeNtlmV2Response(hash, eight, eight, eight, info)
	})
	measure("authenticate", rounds, 5000, func() []byte {
		message, err := ntlmssp.ProcessChallengeWithHash(challenge, user, hexHash)
		if err != nil {
			panic(err)
		}
		text := make([]byte, base64.StdEncoding.EncodedLen(len(message)))
		base64.StdEncoding.Encode(text, message)
		return text
	})
}
