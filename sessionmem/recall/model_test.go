package recall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

// tolerance is how far a score may differ from the reference's, because the index adds in
// another order and with fewer digits.
const tolerance = 2e-4

// model makes random changes to the files, the index and its process, and compares the answers
// with those of the reference.
type model struct {
	*bench
	r     *rand.Rand
	words []string
	names []string
	log   []string
}

func newModel(t *testing.T, seed uint64) *model {
	m := &model{bench: newBench(t), r: rand.New(rand.NewPCG(seed, 1))}
	for i := range 50 {
		m.words = append(m.words, fmt.Sprintf("%c%c%cor", 'b'+i%20, "aeiou"[i%5], 'k'+i/8))
	}
	m.words = append(m.words, "E0432", "main.go:17", "yesterday", "cron_job", "東京の天気", "naïve", "12", "three")
	for i := range 6 {
		m.names = append(m.names, fmt.Sprintf("cpu-s%d", i))
	}
	return m
}

// text returns a few words, mostly the first ones of the list; sometimes the text is long or a
// question.
func (m *model) text() string {
	n := 1 + m.r.IntN(12)
	if m.r.IntN(15) == 0 {
		n = 300
	}
	var out []string
	for range n {
		out = append(out, m.word())
	}
	return strings.Join(out, " ") + []string{".", "?", "\n\n" + m.word()}[m.r.IntN(3)]
}

func (m *model) word() string {
	return m.words[int(float64(len(m.words))*math.Pow(m.r.Float64(), 3))]
}

func (m *model) name() string { return m.names[m.r.IntN(len(m.names))] }

// transcripts returns the files of all sessions.
func (m *model) transcripts() []string {
	var out []string
	for _, pattern := range []string{"session/*.md", "session/archive/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(m.root, pattern))
		if err != nil {
			m.Fatal(err)
		}
		out = append(out, found...)
	}
	return out
}

// anyFile returns one of the transcripts; "" if there are none.
func (m *model) anyFile() string {
	all := m.transcripts()
	if len(all) == 0 {
		return ""
	}
	return all[m.r.IntN(len(all))]
}

// step makes a random change.
func (m *model) step() string {
	switch n := m.r.IntN(20); {
	case n < 8:
		name, kind := m.name(), []transcript.Kind{transcript.KindUser, transcript.KindAssistant, transcript.KindAgent, transcript.KindTool, transcript.KindSummary}[m.r.IntN(5)]
		m.settle(name)
		m.say(name, kind, m.text())
		return "say in " + name
	case n < 11:
		return m.edit()
	case n == 11:
		file := m.anyFile()
		if file != "" && m.r.IntN(3) == 0 {
			if err := os.Remove(file); err != nil {
				m.Fatal(err)
			}
		}
		return "delete " + filepath.Base(file)
	case n == 12:
		return m.archive()
	case n < 15:
		return m.remember()
	case n == 15:
		return m.erase()
	case n == 16:
		return m.crash()
	case n == 17:
		if err := m.x.Close(); err != nil {
			m.Fatal(err)
		}
		m.x = m.open()
		return "reopen"
	case n == 18 && m.r.IntN(3) == 0:
		if _, err := m.x.Rebuild(m.Context()); err != nil {
			m.Fatal(err)
		}
		return "rebuild"
	}
	m.sync()
	return "sync"
}

// settle lets a save of the session's file be a minute old, because for some seconds after a save
// that dropped a block nothing is appended: the editor may still be writing.
func (m *model) settle(name string) {
	then := time.Now().Add(-time.Minute)
	changed := []string{filepath.Join(m.root, "session")}
	for _, file := range m.transcripts() {
		if strings.Contains(filepath.Base(file), name) {
			changed = append(changed, file)
		}
	}
	for _, path := range changed {
		if err := os.Chtimes(path, then, then); err != nil && !errors.Is(err, fs.ErrNotExist) {
			m.Fatal(err)
		}
	}
}

// edit changes, removes or duplicates something in a transcript by hand: by renaming, or in
// place.
func (m *model) edit() string {
	file := m.anyFile()
	if file == "" {
		return "no edit"
	}
	blocks := strings.SplitAfter(m.read(file), "\n## ")
	i := m.r.IntN(len(blocks))
	switch m.r.IntN(4) {
	case 0:
		blocks[i] = strings.Replace(blocks[i], m.word(), m.word(), 1)
	case 1:
		if i > 0 && i < len(blocks)-1 {
			blocks = append(blocks[:i], blocks[i+1:]...)
		}
	case 2:
		head, _, _ := strings.Cut(blocks[i], "-->")
		if i > 0 && i < len(blocks)-1 {
			blocks[i] = head + "-->\n\n[forgotten]\n\n## "
		}
	default:
		if i > 0 && i < len(blocks)-1 {
			blocks[i] += blocks[i]
		}
	}
	text := strings.Join(blocks, "")
	if m.r.IntN(2) == 0 {
		m.rewrite(file, func(string) string { return text })
	} else if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		m.Fatal(err)
	}
	return "edit " + filepath.Base(file)
}

func (m *model) read(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		m.Fatal(err)
	}
	return string(data)
}

func (m *model) archive() string {
	file := m.anyFile()
	if file == "" || strings.Contains(file, "archive") {
		return "no archive"
	}
	dir := filepath.Join(m.root, "session", "archive", "2026-05")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.Rename(file, filepath.Join(dir, filepath.Base(file)))); err != nil {
		m.Fatal(err)
	}
	return "archive " + filepath.Base(file)
}

func (m *model) remember() string {
	file := filepath.Join(m.root, "agents", []string{"memory.md", "memory-discord-1.md"}[m.r.IntN(2)])
	text := "# Notes\n\n"
	for range m.r.IntN(6) {
		text += "- " + m.text() + "\n"
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		m.Fatal(err)
	}
	return "remember"
}

// erase forgets a block, in its file and in the index.
func (m *model) erase() string {
	m.sync()
	all, err := m.x.Chunks(m.Context(), m.name())
	if err != nil {
		m.Fatal(err)
	}
	if len(all) == 0 {
		return "no erase"
	}
	c := all[m.r.IntN(len(all))]
	if err := m.x.Erase(m.Context(), []string{c.ID}, nil, nil); err != nil {
		m.Fatal(err)
	}
	if _, err := m.x.Chunk(m.Context(), c.ID); !errors.Is(err, ErrNoChunk) {
		m.Fatalf("%s is still there after it was erased: %v", c.ID, err)
	}
	file := filepath.Join(m.root, filepath.FromSlash(c.Path))
	m.rewrite(file, func(s string) string {
		at := strings.Index(s, "id="+c.Block)
		if at < 0 {
			return s
		}
		from := at + strings.Index(s[at:], "-->") + 4
		to := strings.Index(s[from:], "\n## ")
		if to < 0 {
			return s[:from] + "\n[forgotten]\n"
		}
		return s[:from] + "\n[forgotten]\n" + s[from+to:]
	})
	return "erase " + c.ID
}

// crash interrupts an indexing run, or continues with the files as they are at this moment.
func (m *model) crash() string {
	if m.r.IntN(2) == 0 {
		ctx, cancel := context.WithCancel(m.Context())
		left := m.r.IntN(4)
		m.progress = func(Progress) {
			if left--; left < 0 {
				cancel()
			}
		}
		_, _ = m.x.Sync(ctx) // interrupted
		cancel()
		m.progress = nil
		return "cut off a sync"
	}
	cache := m.TempDir()
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(m.x.file.Path() + end)
		if err != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(cache, filepath.Base(m.x.file.Path())+end), data, 0o600); err != nil {
			m.Fatal(err)
		}
	}
	if err := m.x.Close(); err != nil {
		m.Fatal(err)
	}
	m.cache = cache
	m.x = m.open()
	return "crash"
}

// check compares some answers with the reference's.
func (m *model) check() {
	m.sync()
	ref := newReference(m.T, m.x)
	for range 4 {
		query := []string{"", "", "how many "}[m.r.IntN(3)] + m.word() + " " + m.word() + " " + m.word()
		a, err := m.x.Search(m.Context(), Query{Text: query, Limit: referenceLimit, Now: m.now, Strategy: Lexical})
		if err != nil {
			m.Fatal(err)
		}
		want := ref.search(query, m.now)
		if a.State.Behind != 0 || a.State.Err != nil {
			m.Fatalf("%s after %v", a.State, m.log)
		}
		m.compare(query, a.Hits, want)
	}
}

func (m *model) compare(query string, got []Hit, want []*refDoc) {
	m.Helper()
	byID := map[string]*refDoc{}
	var unique []*refDoc // a block copied by hand has the same ID in two files
	for _, d := range want {
		if byID[d.ID] == nil {
			byID[d.ID] = d
			unique = append(unique, d)
		}
	}
	if len(got) != len(unique) {
		m.Fatalf("%q: %d hits, want %d, after\n%s", query, len(got), len(unique), strings.Join(m.log, "\n"))
	}
	for i, h := range got[:min(10, len(got))] {
		d := byID[h.ID]
		if d == nil || math.Abs(h.Score-unique[i].score) > tolerance || math.Abs(d.score-h.Score) > tolerance || h.Text != d.Text {
			m.Fatalf("%q: hit %d is %s %.5f %q, want %s %.5f %q, after\n%s", query, i, h.ID, h.Score, h.Text, unique[i].ID, unique[i].score, unique[i].Text, strings.Join(m.log, "\n"))
		}
	}
}

func TestRandomChangesGiveTheAnswersOfBruteForce(t *testing.T) {
	seeds := 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := newModel(t, uint64(seed)) //nolint:gosec // small
			end := time.Now().Add(20 * time.Second)
			for step := 0; step < 250 && time.Now().Before(end); step++ {
				m.log = append(m.log, m.step())
				if m.r.IntN(6) == 0 {
					m.check()
				}
			}
			m.check()
		})
	}
}
