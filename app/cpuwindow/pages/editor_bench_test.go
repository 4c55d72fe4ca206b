package pages

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
)

// BenchmarkEditorKeystroke types a character and deletes it, in files of several sizes in
// KB. The screen shows a part of 8 KB at most.
func BenchmarkEditorKeystroke(b *testing.B) {
	for _, kb := range []int{8, 200} {
		b.Run(fmt.Sprintf("kb=%d", kb), func(b *testing.B) {
			w := newBench(b)
			p := w.onMemory(strings.Repeat("- a line of a memory that goes on for a while\n", kb<<10/46))
			p.startEditing()
			for b.Loop() {
				p.edit.entry.TypedRune('x')
				p.edit.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyBackspace})
			}
		})
	}
}

// BenchmarkLinesCard builds and measures a card of 300 lines.
func BenchmarkLinesCard(b *testing.B) {
	newBench(b)
	var lines []cardLine
	for i := range longFile {
		lines = append(lines, cardLine{text: fmt.Sprintf("- lesson %d: %s", i, strings.Repeat("some words ", i%12)), from: "21 Nov · cpu-k3x9qa"})
	}
	for b.Loop() {
		newLinesCard(lines).Measure(460)
	}
}
