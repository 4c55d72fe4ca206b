package apptest

import (
	"math/rand/v2"
	"strings"
)

// Unbroken returns generators of texts of about n bytes without a blank, or with more marks
// than words. The texts are random, so that no measurement of one part fits another.
func Unbroken() map[string]func(n int) string {
	some := func(letters ...string) func(n int) string {
		return func(n int) string {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			var b strings.Builder
			b.WriteString(letters[len(letters)-1]) // blocks of all lengths begin alike
			for b.Len() < n {
				b.WriteString(letters[r.IntN(len(letters))])
			}
			return b.String()
		}
	}
	base64 := some(strings.Split("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", "")...)
	within := func(before, after string) func(n int) string {
		return func(n int) string { return before + base64(n) + after }
	}
	return map[string]func(n int) string{
		"base64": base64, "bold": within("**", "**"), "link": within("[", "](http://example.org)"), "address": within("http://example.org/", ""),
		"inline code": within("`", "`"), "code": within("```\n", "\n```"), "coloured code": within("```go\n", "\n```"),
		"underscores": some("_a", "_b"), "stars": some("*a", "*b"), "brackets": some("[a", "[b"), "images": some("![", "!a["), "backticks": some("`a", "`b"),
		"formulas": some(`\(a`, `\(b`), "prices": some("$a", "$b "), "tags": some("<a", "<b"), "entities": some("&amp;", "&lt;"), "lines": some("a\n", "b\n"), "links": some("[a](b)", "[b](a)"),
		"emoji": some("🎉", "👍", "🚀", "🌍"), "families": some("👨‍👩‍👧‍👦", "👩‍🚀"), "marks": some("e\u0301", "a\u0308"), "marks alone": some("\u0301", "\u0316"),
		"Arabic": some(strings.Split("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "")...), "Hebrew": some(strings.Split("אבגדהוזחטיכלמנסעפצקרשת", "")...),
		"Chinese": some(strings.Split("日本語文字列中国人民", "")...), "tabs": some("\t", "a\t"), "all of it": some("a", "é", "ש", "日", "🎉", "_", "**", "`"),
	}
}
