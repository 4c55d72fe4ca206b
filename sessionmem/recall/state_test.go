package recall

import (
	"database/sql"
	"errors"
	"testing"
)

func TestAStateTellsWhatIsMissing(t *testing.T) {
	for want, s := range map[string]State{
		"fresh":                                    {Files: 3, Vectors: VectorsReady},
		"unusable: no disk":                        {Err: errors.New("no disk"), Behind: 3},
		"building":                                 {Building: true},
		"building, 1 file to go":                   {Building: true, Behind: 1},
		"building, 3 of 40 files":                  {Building: true, Done: 3, Of: 40, Behind: 9},
		"behind by 2 files, vectors paused":        {Behind: 2, Vectors: VectorsPaused},
		"fresh, 120 cold chunks excluded":          {Vectors: VectorsOff, Cold: 120},
		"fresh, partial: this machine alone":       {Server: ErrServer},
		"fresh, hits with “race”, “pond” left out": {LeftOut: []string{"race", "pond"}},
		"fresh, vectors building, 1 cold chunk excluded, partial: this machine alone": {Vectors: VectorsBuilding, Cold: 1, Server: ErrServer},
	} {
		if got := s.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTheStatusCountsVectors(t *testing.T) {
	b := newBench(t)
	f := newFakeEmbedder()
	turn := false
	is := func(what string, state VectorState, count int, held Held, model string) {
		t.Helper()
		s, err := b.x.Status(t.Context())
		if err != nil || s.Vectors != state || s.VectorCount != count || s.VectorsHeld != held || s.Model != model {
			t.Errorf("%s: vectors %s, %d, held %q, model %q, %v; want %s, %d, %q, %q", what, s.Vectors, s.VectorCount, s.VectorsHeld, s.Model, err, state, count, held, model)
		}
	}
	is("without an embedder", VectorsOff, 0, "", "")
	b.withEmbedder(f, func(c *Config) { c.InTurn = func() bool { return turn } })
	is("without an index", VectorsOff, 0, "", "fake")
	b.talk("cpu-a", "the hound barks", "the automobile is red")
	b.sync()
	is("none is made", VectorsBuilding, 0, "", "fake")
	b.embedAll()
	is("all are made", VectorsReady, 2, "", "fake")
	b.talk("cpu-b", "rain falls")
	b.sync()
	turn = true
	is("one is missing", VectorsBuilding, 2, HeldTurn, "fake")
	f.set(func() { f.model.Digest = "d2" })
	is("of another model", VectorsPaused, 0, "", "fake")
	f.set(func() { f.err = ErrNoModel })
	is("the model is gone", VectorsPaused, 0, "", "")
	b.talk("cpu-b", "and stops")
	b.x.Changed()
	if s, err := b.x.Status(t.Context()); err != nil || s.Behind != 1 {
		t.Errorf("%d behind, %v; want the session that changed", s.Behind, err)
	}
}

func TestDamagedVectorsLeaveTheWords(t *testing.T) {
	b := newBench(t)
	b.withEmbedder(newFakeEmbedder())
	b.talk("cpu-a", "the hound barks", "the automobile is red")
	b.sync()
	b.embedAll()
	db, err := sql.Open("sqlite", "file:"+b.x.file.Path())
	if err == nil {
		_, err = db.ExecContext(t.Context(), "UPDATE vector SET data=zeroblob(length(data))")
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if a := b.search("hound"); len(a.Hits) == 0 || a.Hits[0].Text != "the hound barks" || a.State.Vectors != VectorsPartial {
		t.Errorf("%q, vectors %s", said(a), a.State.Vectors)
	}
}

func TestAFileIsErasedWhole(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "the otter swims", "it does")
	b.talk("cpu-b", "the heron stands")
	b.sync()
	all, err := b.x.Chunks(t.Context(), "cpu-a")
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if err := b.x.Erase(t.Context(), nil, nil, []string{all[0].Path, "session/none.md"}); err != nil {
		t.Fatal(err)
	}
	if got := b.first("otter"); got != "" || b.first("heron") != "the heron stands" {
		t.Errorf("%q is found", got)
	}
}
