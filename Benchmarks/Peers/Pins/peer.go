// Go's crypto/x509 as a peer: certificate bytes to pin; lines of a measurement file.
package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"time"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		os.Exit(2)
	}
	var certificates [][]byte
	for offset := 0; offset < len(data); {
		length := int(binary.LittleEndian.Uint32(data[offset:]))
		certificates = append(certificates, data[offset+4:offset+4+length])
		offset += 4 + length
	}
	fmt.Printf("about\tGo crypto/x509\t%s; time that passes\n", runtime.Version())
	for round := 0; round < 20; round++ {
		sum := 0
		start := time.Now()
		for _, der := range certificates {
			certificate, err := x509.ParseCertificate(der)
			if err != nil {
				continue
			}
			digest := sha256.Sum256(certificate.RawSubjectPublicKeyInfo)
			sum += int(digest[0])
		}
		took := float64(time.Since(start).Nanoseconds()) / float64(len(certificates))
		if sum == 0 {
			os.Exit(2)
		}
		fmt.Printf("time\tGo crypto/x509\tcertificate to pin\t%.1f\n", took)
	}
}
