package memory

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memorytext"
)

// whyShipped is why a line that comes with the product stays.
const whyShipped = "it came with mac-stats: an instruction or a setting, nothing that was said; edit the file if you want it otherwise"

// shippedLines reads the lines of all files that come with the product. A line of an
// older version that a person's edit has kept is that person's.
func shippedLines(files fs.FS) map[string]bool {
	lines := map[string]bool{}
	if files == nil {
		return lines
	}
	for _, top := range []string{"agents", "skills", "config.toml"} { // what of it is written into the data folder
		_ = fs.WalkDir(files, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // what isn't there does not ship
			}
			data, err := fs.ReadFile(files, name)
			for line := range strings.Lines(memorytext.Normalize(data)) {
				if line = strings.TrimSpace(line); line != "" {
					lines[line] = true
				}
			}
			return err
		})
	}
	return lines
}

// ships says whether a line stands so in a file that comes with the product.
func (m *Memory) ships(line string) bool { return m.shipped()[strings.TrimSpace(line)] }

// Unshipped gives a file without the lines that come with the product: what is left is
// what people, or programs for them, wrote.
func (m *Memory) Unshipped(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if m.ships(string(line)) {
			line = []byte("\n")
		}
		out = append(out, line...)
	}
	return out
}

// ShippedTouched tells of a file that holds what is meant in so many lines that come
// with the product.
func ShippedTouched(place, path string, lines int) forgotten.Touched {
	why := whyShipped
	if lines > 1 {
		why = fmt.Sprintf("in %d lines; %s", lines, whyShipped)
	}
	return forgotten.Touched{Place: place, Action: forgotten.Refused, Path: path, Why: why, Final: true}
}

// shippedHeld tells of the lines of the file that come with the product and hold what
// is meant; none is nil.
func (f *forgetLines) shippedHeld(raw []byte) []forgotten.Touched {
	n, first := 0, 0
	preview := ""
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		if f.m.ships(string(line)) && f.t.HoldsRaw(line) {
			if n++; n == 1 {
				first, preview = number, f.preview(string(line))
			}
		}
	}
	if n == 0 {
		return nil
	}
	t := ShippedTouched(f.place(), f.path, n)
	t.Line, t.Text = first, preview
	return []forgotten.Touched{t}
}
