package sessionmem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// ForgetLearnt removes from a memory file what was learnt on Discord, as the comments behind
// the lines say, and the file where nothing else is in it. Lines that were written by hand
// stay. It gives how many went.
func (m *Memory) ForgetLearnt(ctx context.Context, t Target) (int, error) {
	path := m.Path(t)
	if path == "" {
		return 0, nil
	}
	unlock, err := m.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	raw, _, err := readOwned(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	gone := 0
	out := withoutLearnt(raw, &gone)
	switch {
	case gone == 0:
		return 0, nil
	case !strings.ContainsFunc(withoutHeadings(string(out)), func(r rune) bool { return r > ' ' }):
		return gone, os.Remove(path)
	}
	return gone, m.edit(path, func(now []byte) ([]byte, error) {
		gone = 0
		return withoutLearnt(now, &gone), nil
	})
}

// withoutLearnt gives a memory file without the bullets that were learnt on Discord.
func withoutLearnt(raw []byte, gone *int) []byte {
	var out []byte
	at := 0
	for _, it := range parseMemory(normalizeFile(raw)).items {
		b, bullet := it.bullet()
		if !bullet || !strings.HasPrefix(sessionFrom(b), "discord-") {
			continue
		}
		begin, end := itemBytes(raw, it)
		out = append(out, raw[at:begin]...)
		at = max(at, end)
		*gone++
	}
	return append(out, raw[at:]...)
}

func withoutHeadings(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
