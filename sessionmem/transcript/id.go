package transcript

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// RandomID gives n characters of lower-case letters and digits.
func RandomID(n int) string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails
	return strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))[:n]
}
