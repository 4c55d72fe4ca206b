package places_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
	texts = nil
	_, err = p.EachFrom(t.Context(), second, collect)
	if diff := cmp.Diff(want[1:], texts); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := blocks.Block(places.Place{File: file, Offset: second.Offset + 3, Size: 5}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in the midst of a block: %v", err)
	}
}

func TestSumBeforeShowsWhetherAFileOnlyGrew(t *testing.T) {
	path, p := written(t, "one", "two")
	text := filetest.Read(t, path)
	sum := func() uint32 {
		n, err := p.SumBefore(file, int64(len(text)))
		filetest.Must(t, err)
		return n
	}
	before := sum()
	filetest.Write(t, path, text+"\n## User\n\nthree\n")
	if sum() != before {
		t.Error("it only grew")
	}
	filetest.Write(t, path, strings.Replace(text, "one", "ONE", 1))
	if sum() == before {
		t.Error("it was edited")
	}
}
