package recall

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/recall/rank"
	"mac-stats/sessionmem/transcript"
)

// TestRandomChangesLeaveEveryChunkItsOwnVector makes changes to transcripts as people and
// programs do, in random order. Whenever everything is embedded, each chunk must have the
// vector of its own words, and there must be no other vectors.
func TestRandomChangesLeaveEveryChunkItsOwnVector(t *testing.T) {
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &vectorModelTest{bench: newBench(t), r: rand.New(rand.NewPCG(seed, 7)), f: newFakeEmbedder()}
			m.withEmbedder(m.f)
			for range 60 {
				m.step()
			}
			m.sync()
			m.embedAll()
			m.check()
		})
	}
}

type vectorModelTest struct {
	*bench
	r    *rand.Rand
	f    *fakeEmbedder
	did  []string
	said int
}

func (m *vectorModelTest) note(what string) { m.did = append(m.did, what) }

func (m *vectorModelTest) step() {
	session := fmt.Sprintf("cpu-s%d", m.r.IntN(3))
	switch n := m.r.IntN(12); {
	case n < 5:
		m.note("say in " + session)
		for range 1 + m.r.IntN(40) {
			m.said++
			m.say(session, transcript.KindUser, fmt.Sprintf("%s number%c%c", []string{"the dog", "a car", "my doctor", "rain"}[m.r.IntN(4)], 'a'+m.said%26, 'a'+m.said/26%26))
		}
	case n < 7:
		m.note("edit " + session)
		m.change(session, func(s string) string {
			return strings.Replace(s, "the dog", "the "+strings.Repeat("large ", m.r.IntN(4))+"hound", 1)
		})
	case n < 8:
		m.note("forget in " + session)
		m.change(session, func(s string) string { return strings.Replace(s, "my doctor number", "[forgotten]\n\nnumber", 1) })
	case n < 9:
		m.note("erase " + session)
		if err := m.x.Erase(m.Context(), nil, []string{session}, nil); err != nil {
			m.Fatal(err)
		}
	case n < 10:
		m.note("rebuild")
		if _, err := m.x.Rebuild(m.Context()); err != nil {
			m.Fatal(err)
		}
	case n < 11:
		m.note("embed a batch")
		m.sync()
		j := &vectorJob{v: &m.x.vectors}
		if _, err := j.step(m.Context()); err != nil {
			m.Fatal(err)
		}
	default:
		m.note("embed all")
		m.sync()
		m.embedAll()
		m.check()
	}
}

// change rewrites a session's file, if there is one.
func (m *vectorModelTest) change(session string, how func(string) string) {
	found, err := filepath.Glob(filepath.Join(m.root, "session", "session-memory-"+session+"-*.md"))
	if err != nil {
		m.Fatal(err)
	}
	if len(found) == 1 {
		m.rewrite(found[0], how)
	}
}

// check compares the vectors with the chunks.
func (m *vectorModelTest) check() {
	m.Helper()
	if _, err := os.Stat(m.x.file.Path()); err != nil {
		return // no messages yet
	}
	texts := map[uint64]bool{}
	err := m.x.file.Read(m.Context(), func(now *index.Snapshot) error {
		r := m.x.corpus.Texts()
		defer r.Close()
		for place, k := range now.Sources() {
			alone := make([]bool, len(now.Sources()))
			alone[place] = true
			err := now.Each(m.Context(), k, func(at uint32, d *index.Passage) error {
				texts[d.Hash] = true
				c, p := corpus.ChunkOf(d, &k.Source)
				text, err := r.Read(m.Context(), c, p)
				if err != nil {
					return err
				}
				want, _ := index.NewDirection(vectorOf(text, m.f.model.Dims))
				found, err := now.Candidates(m.Context(), index.Question{Weights: &m.x.weights, Allowed: alone, MeaningOnly: true, Vector: want, Model: m.f.model})
				if err != nil || found.VectorsErr != nil {
					return cmp.Or(err, found.VectorsErr)
				}
				has := slices.ContainsFunc(found.Candidates, func(c rank.Candidate) bool { return c.At == at && c.Cosine > .99 })
				if !has {
					m.Fatalf("%q has no vector, or that of another text, after\n%s", text, strings.Join(m.did, "\n"))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		m.Fatal(err)
	}
	if n := m.vectors(); n != len(texts) {
		m.Fatalf("%d vectors of %d texts after\n%s", n, len(texts), strings.Join(m.did, "\n"))
	}
}
