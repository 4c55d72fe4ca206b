package filetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// SampleTexts returns n texts of about 130 bytes with a word distribution like that of a
// language: a few words are common and many are rare.
func SampleTexts(n int) []string {
	common := strings.Fields("the a of to and in I you it was that we for on is with my have had at so really about when they not but went made house dog music work time people great day new good thing")
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.07, 3, 40000)
	words := make([]string, 40001)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range words {
		switch {
		case i < len(common):
			words[i] = common[i]
		default:
			var b strings.Builder
			for range 2 + r.IntN(3) {
				b.WriteString([]string{"ka", "ter", "min", "ol", "shu", "ber", "ing", "re", "pla", "des", "con", "ver"}[r.IntN(12)])
			}
			words[i] = b.String() + []string{"", "s", "ed", "ing", "ly", ""}[r.IntN(6)]
		}
	}
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for b.Len() < 130 {
			b.WriteString(words[zipf.Uint64()])
			b.WriteString([]string{" ", " ", " ", " ", ", ", ". "}[r.IntN(6)])
		}
		if i%50 == 0 {
			fmt.Fprintf(&b, "file_%d.go:%d last week", i, i%97)
		}
		texts[i] = b.String()
	}
	return texts
}
