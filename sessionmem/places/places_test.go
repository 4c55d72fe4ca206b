package places_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/places"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

const file = "a.md"

// written writes a transcript of these texts and returns what reads it.
func written(t *testing.T, texts ...string) (path string, p *places.Places) {
	root := t.TempDir()
	path = filepath.Join(root, file)
	data := []byte("---\nformat: mac-stats-session/1\n---\n")
	for _, text := range texts {
		data = transcript.AppendBlock(data, transcript.Block{ID: transcript.DeriveID(transcript.KindUser, text), Kind: transcript.KindUser, Text: text})
	}
	filetest.Write(t, path, string(data))
	return path, places.New(func(_ context.Context, file string) (*os.File, error) { return os.Open(filepath.Join(root, file)) })
}

func TestBlockIsReadAgainAtItsPlace(t *testing.T) {
	path, p := written(t, "one", "two\n\nof two paragraphs", "three")
	var at []places.Place
	var texts []string
	collect := func(b transcript.Block, place places.Place) error {
		at, texts = append(at, place), append(texts, b.Text)
		return nil
	}
	states, err := p.Each(t.Context(), []string{file}, collect)
	filetest.Must(t, err)
	if fi, err := os.Stat(path); err != nil || len(states) != 1 || states[0].Size != fi.Size() {
		t.Errorf("the file is %+v, %v", states, err)
	}
	want := []string{"one", "two\n\nof two paragraphs", "three"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Fatal(diff)
	}
	blocks := p.Blocks()
	t.Cleanup(func() { filetest.Must(t, blocks.Close()) })
	for i, place := range at {
		if b, err := blocks.Block(place); err != nil || b.Text != want[i] {
			t.Errorf("at %d stands %q, %v", place.Offset, b.Text, err)
		}
	}
	second := at[1]
	if _, err := blocks.Block(places.Place{File: file, Offset: second.Offset + 3, Size: 5}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in the midst of a block: %v", err)
	}
}

// A Summary holds while everything it covers is in the files, its parts in order.
func TestSummaryHoldsWithItsMessages(t *testing.T) {
	root := t.TempDir()
	messages := []transcript.Block{{ID: "1", Kind: transcript.KindUser, Text: "one"}, {ID: "2", Kind: transcript.KindAssistant, Text: "two"}}
	var said transcript.Fingerprints
	for _, b := range messages {
		said.Follow(b)
	}
	sum := transcript.Block{ID: "s", Kind: transcript.KindSummary, Text: "so far", Through: "2"}.WithFingerprint(said.First(2))
	write := func(file string, blocks ...transcript.Block) {
		data := []byte("---\nformat: mac-stats-session/1\n---\n")
		for _, b := range blocks {
			data = transcript.AppendBlock(data, b)
		}
		filetest.Write(t, filepath.Join(root, file), string(data))
	}
	p := places.New(func(_ context.Context, file string) (*os.File, error) { return os.Open(filepath.Join(root, file)) })
	write("1.md", messages[0])
	write("2.md", messages[1], sum, transcript.Block{ID: "3", Kind: transcript.KindUser, Text: "three"})
	for name, c := range map[string]struct {
		files []string
		id    string
		want  bool
	}{
		"both parts": {[]string{"1.md", "2.md"}, "s", true}, "a part is missing": {[]string{"2.md"}, "s", false}, "no such Summary": {[]string{"1.md", "2.md"}, "x", false}, "a message's ID": {[]string{"1.md", "2.md"}, "3", false},
	} {
		if got, err := p.Holding(t.Context(), c.files); got[c.id] != c.want || err != nil {
			t.Errorf("%s: %v hold, %v", name, got, err)
		}
	}
	write("1.md", transcript.Block{ID: "1", Kind: transcript.KindUser, Text: "another"})
	if got, err := p.Holding(t.Context(), []string{"1.md", "2.md"}); len(got) > 0 || err != nil {
		t.Errorf("with other words %v hold, %v", got, err)
	}
}

func TestReadingPlacesThatFails(t *testing.T) {
	path, p := written(t, "one", "two")
	stop := errors.New("enough")
	n := 0
	_, err := p.Each(t.Context(), []string{file}, func(transcript.Block, places.Place) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("stopped after %d blocks: %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	none := func(transcript.Block, places.Place) error { return nil }
	if _, err := p.Each(ctx, []string{file}, none); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	blocks := p.Blocks()
	filetest.Must(t, blocks.Close()) // nothing is open yet
	if b, err := blocks.Block(places.Place{File: file, Offset: 0, Size: -1, Bare: false}); err != nil || b.Kind != transcript.KindText {
		t.Errorf("at the beginning: %+v, %v", b, err)
	}
	if _, err := blocks.Block(places.Place{File: file, Offset: 1 << 20, Size: 10}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("behind the end: %v", err)
	}
	filetest.Must(t, blocks.Close())
	filetest.Must(t, os.Remove(path))
	_, eerr := p.Each(t.Context(), []string{file}, none)
	_, herr := p.Holding(t.Context(), []string{file})
	_, berr := blocks.Block(places.Place{File: file, Size: 10})
	for what, err := range map[string]error{"all": eerr, "a Summary": herr, "a block": berr} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of a file that is gone: %v", what, err)
		}
	}
	if err := os.Mkdir(path, 0o700); err == nil {
		if _, err := p.Each(t.Context(), []string{file}, none); err == nil {
			t.Error("a folder is read")
		}
	}
}
