package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// inks describes coloured code: each span with its class.
func inks(code string, spans []Span) []string {
	names := map[Ink]string{Plain: "plain", Keyword: "keyword", String: "string", Number: "number", Comment: "comment", Name: "name"}
	var out []string
	at := 0
	for _, s := range spans {
		out = append(out, names[s.Ink]+" "+strings.TrimSpace(code[at:s.To]))
		at = int(s.To)
	}
	return out
}

func TestCodeIsColoured(t *testing.T) {
	tests := []struct {
		lang, code string
		want       []string
	}{
		{"go", "// why\nfunc f() { return 42 }", []string{"comment // why", "keyword func", "name f", "plain () {", "keyword return", "number 42", "plain }"}},
		{"PYTHON", "def f(): return \"x\"", []string{"keyword def", "name f", "plain ():", "keyword return", "string \"x\""}},
		{"json", `{"a": true}`, []string{"plain {", `name "a"`, "plain :", "number true", "plain }"}},
		{"klingon", "qapla", nil},
		{"../../etc", "x", nil},
		{"", "x", nil},
	}
	for _, tc := range tests {
		t.Run(tc.lang, func(t *testing.T) {
			h := newHighlighter(tc.lang)
			h.limit = time.Hour // on a busy machine nothing stays plain
			got := inks(tc.code, h.finished(tc.code))
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestGrowingCodeIsColouredPieceByPiece(t *testing.T) {
	// given: a block longer than some chunks; when it grows; then: what was coloured for
	// good stays, and the end is coloured too
	code := strings.Repeat("func f(a int) string { return \"text\" } // why\n", 120)
	h, whole := newHighlighter("go"), newHighlighter("go")
	h.limit, whole.limit = time.Hour, time.Hour // on a busy machine nothing stays plain
	var before []Span
	for n := 100; n <= len(code); n += 100 {
		spans := h.grown(code[:n])
		if last := spans[len(spans)-1]; int(last.To) != n {
			t.Fatalf("of %d bytes %d are covered", n, last.To)
		}
		if len(before) > 2 {
			if d := cmp.Diff(before[:len(before)-2], spans[:len(before)-2], cmp.AllowUnexported(Span{})); d != "" {
				t.Fatalf("at %d bytes: %s", n, d)
			}
		}
		before = append([]Span(nil), h.spans...)
		if left := n - len(h.done); left > chunkBytes+100 {
			t.Fatalf("%d bytes are coloured anew each time", left)
		}
	}
	if d := cmp.Diff(inks(code, whole.finished(code)), inks(code, h.grown(code))); d != "" {
		t.Error("at the end it is not as if coloured at once: " + d)
	}
}

func TestAFinishedAnswerHasItsCodeColoured(t *testing.T) {
	d := New()
	for i := range mixedAnswer {
		d.Append(mixedAnswer[i : i+1])
		d.Settle(false)
	}
	d.Settle(true)
	whole := Parse(mixedAnswer)
	for i, l := range d.leaves {
		if diff := cmp.Diff(whole.leaves[i].Spans, l.Spans, cmp.AllowUnexported(Span{})); diff != "" {
			t.Error(diff)
		}
		if l.Lang == "go" && len(l.Spans) < 2 {
			t.Error("the code is plain")
		}
	}
}

func FuzzColour(f *testing.F) {
	for _, s := range []string{"func f() {}\n", "\"\"\"", "\r\n", "\xff\xfe", "<a b='c'>", "日本語 \"x\"", strings.Repeat("(", 300), "/* */ /*"} {
		for _, lang := range []string{"go", "python", "html", "bash"} {
			f.Add(lang, s)
		}
	}
	f.Fuzz(func(t *testing.T, lang, code string) {
		h := newHighlighter(lang)
		for _, spans := range [][]Span{h.grown(code[:len(code)/2]), newHighlighter(lang).finished(code)} {
			at := int32(0)
			for _, s := range spans {
				if s.To <= at {
					t.Fatalf("a span ends at %d, the one before at %d", s.To, at)
				}
				at = s.To
			}
			if len(spans) > 0 && int(at) != len(code) && int(at) != len(code)/2 {
				t.Fatalf("%d of %d bytes are covered", at, len(code))
			}
		}
	})
}
