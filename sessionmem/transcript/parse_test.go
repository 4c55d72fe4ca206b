package transcript

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// A session's files are read as one transcript.
func TestCollectingTheFilesOfASession(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := file("1.md", "---\nformat: mac-stats-session/1\nsession: cpu-a\ntitle: Fan\n---\n\n## User · "+begunText+"\n<!-- id=1 -->\n\none\n")
	second := file("2.md", "---\nformat: mac-stats-session/2\nsession: cpu-b\n---\n\n## Assistant · "+begunText+" · coder\n<!-- id=1 -->\n\ntwo\n")
	all := NewCollector()
	for _, path := range []string{first, second} {
		if fi, err := all.Path(path); err != nil || fi.Name() != filepath.Base(path) {
			t.Errorf("%v, %v", fi, err)
		}
	}
	tr := all.Transcript()
	if i := tr.Info; i.Name != "cpu-a" || i.Title != "Fan" || i.Messages != 2 || i.Agent != "coder" || !i.ReadOnly {
		t.Errorf("info %+v", i)
	}
	if len(tr.Blocks) != 2 || tr.Blocks[0].ID != "1" || tr.Blocks[1].ID != DeriveID(KindAssistant, "two") {
		t.Errorf("blocks %+v", tr.Blocks)
	}
	if _, err := all.Path(filepath.Join(dir, "none.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of a missing file: %v", err)
	}
	if _, err := all.Path(dir); !errors.Is(err, ErrNotFile) {
		t.Errorf("of a folder: %v", err)
	}
	folder, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.File(folder); !errors.Is(err, ErrNotFile) {
		t.Errorf("of an open folder: %v", err)
	}
}

func TestParseReturnsTheReadersError(t *testing.T) {
	broken := errors.New("the disk is broken")
	for name, r := range map[string]io.Reader{"at once": iotest.ErrReader(broken), "after a block": io.MultiReader(strings.NewReader("## User\n\nhi\n\n## Assist"), iotest.ErrReader(broken))} {
		if _, err := Parse(r); !errors.Is(err, broken) || !strings.Contains(err.Error(), "reading a transcript") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Reading goes on at any block, a block's head says what the block does, and each block can be
// parsed alone.
func TestBlocksAreReadInAllWaysAlike(t *testing.T) {
	blocks := []Block{{ID: "first", Kind: KindUser, Time: begun, Text: "one"}}
	for _, tc := range roundTripCases {
		blocks = append(blocks, tc.block)
	}
	text := []byte(written(t, blocks...))
	all := NewReader(bytes.NewReader(text))
	for n := 0; ; n++ {
		raw, err := all.Read()
		if errors.Is(err, io.EOF) {
			if n != len(blocks) {
				t.Errorf("%d of %d blocks", n, len(blocks))
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := raw.Decode()
		tail, err := NewTailReader(bytes.NewReader(text[raw.Offset:]), raw.Offset, false).Read()
		if err != nil || tail.Offset != raw.Offset || tail.Size != raw.Size {
			t.Errorf("%s: from its offset: %d bytes at %d, %v", want.ID, tail.Size, tail.Offset, err)
		}
		alone := ParseBlock(text[raw.Offset:raw.Offset+raw.Size], raw.Offset, raw.Size, false)
		for way, got := range map[string]Block{"from its offset": tail.Decode(), "alone": alone.Decode()} {
			if diff := cmp.Diff(want, got, alike); diff != "" {
				t.Errorf("%s (-whole file +%s):\n%s", want.ID, way, diff)
			}
		}
		head, ok := raw.Head()
		if !ok {
			if want.Kind != KindNote && want.Kind != KindText {
				t.Errorf("a %s has no head", want.Kind)
			}
			continue
		}
		type says struct{ Kind, ID, Agent, Through, Task, Sources string }
		of := func(b Block) says {
			return says{string(b.Kind), b.ID, b.Agent, b.Through, b.Task, b.Attrs[AttrSources]}
		}
		if diff := cmp.Diff(of(want), of(head)); diff != "" || !head.Time.Equal(want.Time) {
			t.Errorf("its head says (-block +head):\n%s", diff)
		}
	}
}

// A reader with a limit holds no more of a block, however long its lines are, and goes on with
// the next.
func TestReaderWithALimit(t *testing.T) {
	for name, long := range map[string]string{"one line": strings.Repeat("x", 3*readBuffer), "many lines": strings.Repeat("some words\n", readBuffer)} {
		t.Run(name, func(t *testing.T) {
			text := "## User · " + begunText + "\n<!-- id=1 -->\n\n" + long + "\n## Assistant · " + begunText + "\n<!-- id=2 -->\n\nyes\n"
			r := NewReader(strings.NewReader(text))
			r.Limit = 1000
			first, err := r.Read()
			if err != nil || len(first.Raw) != 1000 || first.Size < int64(len(long)) || first.Decode().ID != "1" {
				t.Errorf("%d of %d bytes, %v", len(first.Raw), first.Size, err)
			}
			if second, err := r.Read(); err != nil || second.Decode().Text != "yes" || second.Offset != first.Size {
				t.Errorf("then %+v, %v", second.Decode(), err)
			}
			if _, err := r.Read(); !errors.Is(err, io.EOF) {
				t.Errorf("at the end: %v", err)
			}
		})
	}
}
