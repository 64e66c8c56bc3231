package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode"
)

// fingerprints counts findings that are alike.
type fingerprints map[string]int

// of names a finding by what it is about, not by its line or its numbers: code scanning keeps an alert as
// long as the name stays. Of several alike, each has a number.
func (p fingerprints) of(f Finding) string {
	sum := sha256.Sum256([]byte(strings.Join(f.identity(), "\x00")))
	name := hex.EncodeToString(sum[:8])
	p[name]++
	return fmt.Sprintf("%s:%d", name, p[name])
}

// identity is what stays the same about a finding. The message of a verification counts rows and runs, so
// that it says who it is only where nothing else does.
func (f Finding) identity() []string {
	parts := []string{f.Code, f.Policy, f.Kind, f.Object}
	if f.Group == "" || f.Policy == "" && f.Object == "" {
		parts = append(parts, withoutDigits(f.Message))
	}
	return parts
}

func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}
