//go:build unix

package cpuwindow

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"mac-stats/app/ui/markdown"
)

// unbroken are texts without a blank, or with more marks than words, of about n bytes.
// They are random, so that no measurement of a part serves for another.
func unbroken() map[string]func(n int) string {
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

// layOut is what the window does with an answer before it can show it.
func layOut(s string) {
	for _, l := range markdown.Parse(s).View().Leaves {
		if l.Kind == markdown.Code {
			code := newCodeText()
			code.setWrap(true)
			code.measure(600)
			code.set(l.Code, l.Spans)
			continue
		}
		newProse(styledRuns(l.Runs), sizeText, roleText).measure(600)
	}
}

// cpuTime is what this process has used, which other processes don't change.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Twice the text costs at most 2.6 times the time, whatever it is made of.
func TestLayingOutIsLinear(t *testing.T) {
	newBench(t)
	const n, most = 40_000, 2.6 * 2.6
	for name, text := range unbroken() {
		t.Run(name, func(t *testing.T) {
			timed := func(n int) time.Duration {
				s := text(n)
				began := cpuTime(t)
				layOut(s)
				return cpuTime(t) - began
			}
			short, long := time.Hour, time.Hour
			for i := range 20 {
				short, long = min(short, timed(n+i)), min(long, timed(4*n+i))
				if i > 1 && float64(long) <= most*float64(short) {
					return
				}
			}
			t.Errorf("four times the text takes %v, the text %v", long, short)
		})
	}
}

// BenchmarkUnbroken lays out 250 KB that have no blank.
func BenchmarkUnbroken(b *testing.B) {
	newBench(b)
	for name, text := range unbroken() {
		b.Run(name, func(b *testing.B) {
			n := 250_000
			for b.Loop() {
				n++
				b.StopTimer()
				s := text(n)
				b.StartTimer()
				layOut(s)
			}
		})
	}
}

// A long word fills its lines, and no line is wider than the paragraph.
func TestALongWordFillsItsLines(t *testing.T) {
	newBench(t)
	const width = 300
	for name, text := range unbroken() {
		s := strings.Join(strings.Fields(text(3000)), "")
		half := runeFloor(s, len(s)/2)
		p := newProse([]run{{text: s[:half]}, {text: s[half:], bold: true}}, sizeText, roleText)
		p.measure(width)
		at := 0
		for i, l := range p.lines {
			if l.from != at || l.to <= l.from {
				t.Fatalf("%s: line %d is %d…%d, the one before ends at %d", name, i, l.from, l.to, at)
			}
			at = l.to
			drawn := float32(0)
			for _, seg := range p.segments(l) {
				drawn = seg.x + seg.width
			}
			if wide := p.span(l.from, l.to); wide > width+2 || drawn > width+2 || l.width > width {
				t.Errorf("%s: line %d is %g wide, taken for %g: %q", name, i, wide, l.width, p.flat[l.from:l.to])
			}
			if i < len(p.lines)-1 && l.width < width-40 && name != "Chinese" && name != "all of it" {
				t.Errorf("%s: line %d is %g wide only: %q", name, i, l.width, p.flat[l.from:l.to])
			}
		}
		if at != len(p.flat) {
			t.Errorf("%s: the lines end at %d of %d", name, at, len(p.flat))
		}
	}
}
