package ollama

import (
	"strings"
	"testing"
)

func TestThinkSplitterRemovesThinkingHoweverTheStreamIsSplit(t *testing.T) {
	tests := []struct{ name, in, content, thinking string }{
		{"no thinking", "Hello there.", "Hello there.", ""},
		{"thinking, then the answer", "<think>hm, 4?</think>\n\nFour.", "Four.", "hm, 4?"},
		{"blank space before the tag", " \n<think>a</think> b", "b", "a"},
		{"empty thinking", "<think>\n\n</think>\n\nYes", "Yes", "\n\n"},
		{"never closed", "<think>on and on", "", "on and on"},
		{"closed, no answer", "<think>a</think>\n", "", "a"},
		{"a tag later is the answer's", "I use <think>x</think> tags", "I use <think>x</think> tags", ""},
		{"a second one is the answer's", "<think>a</think>b <think>c</think>", "b <think>c</think>", "a"},
		{"nearly a tag", "<thin ice", "<thin ice", ""},
		{"ends within what may be a tag", "  <thi", "  <thi", ""},
		{"lookalikes inside", "<think>a < b </thin </think>c", "c", "a < b </thin "},
		{"closing tag cut off", "<think>a</thi", "", "a</thi"},
		{"other scripts", "<think>考える</think>答え", "答え", "考える"},
		{"nothing", "", "", ""},
		{"spaces only", " \n ", " \n ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i := range len(tt.in) + 1 {
				for j := i; j <= len(tt.in); j++ {
					checkSplit(t, []string{tt.in[:i], tt.in[i:j], tt.in[j:]}, tt.content, tt.thinking)
				}
			}
			var each []string
			for i := range len(tt.in) {
				each = append(each, tt.in[i:i+1])
			}
			checkSplit(t, each, tt.content, tt.thinking)
		})
	}
}

func checkSplit(t *testing.T, pieces []string, content, thinking string) {
	t.Helper()
	var s thinkSplitter
	var gotContent, gotThinking string
	for _, piece := range pieces {
		c, th := s.write(piece)
		gotContent, gotThinking = gotContent+c, gotThinking+th
	}
	c, th := s.flush()
	gotContent, gotThinking = gotContent+c, gotThinking+th
	if gotContent != content || gotThinking != thinking {
		t.Fatalf("%q: got content %q, thinking %q; want %q, %q", pieces, gotContent, gotThinking, content, thinking)
	}
}

// FuzzThinkSplitter splits any text anywhere. The pieces must give the same result as the
// whole, and nothing may be lost except tags and white space.
func FuzzThinkSplitter(f *testing.F) {
	f.Add("<think>hm</think> Yes", 3)
	f.Add(" \n<thin ice", 5)
	f.Add("<think><think>a</think></think>", 9)
	f.Fuzz(func(t *testing.T, text string, at int) {
		var whole thinkSplitter
		content, thinking := whole.write(text)
		c, th := whole.flush()
		at = max(0, min(at, len(text)))
		checkSplit(t, []string{text[:at], text[at:]}, content+c, thinking+th)
		if lost := len(text) - len(content+c) - len(thinking+th); lost > 0 && !strings.Contains(text, thinkOpen) {
			t.Fatalf("%d bytes of %q are lost", lost, text)
		}
	})
}
