package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// meanings is an embedding model of four words, with further dimensions that mean nothing.
type meanings struct{ more int }

func (m meanings) Model(context.Context) (recall.EmbedModel, error) {
	return recall.EmbedModel{Name: fmt.Sprint("four and ", m.more), Digest: "1"}, nil
}

func (m meanings) Embed(_ context.Context, _ recall.EmbedModel, _ recall.EmbedAs, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = append([]float32{.1, .1, .1, .1}, make([]float32, m.more)...)
		for d, words := range []string{"car automobile", "otter swims", "bread bakes", "rain falls"} {
			for word := range strings.FieldsSeq(words) {
				if strings.Contains(text, word) {
					out[i][d]++
				}
			}
		}
	}
	return out, nil
}

func TestMeaningFindsTextOnOtherMachines(t *testing.T) {
	cluster := recalltest.SharedPostgres(t)
	address := cluster.Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	models := map[*machine]meanings{}
	search := func(m *machine, make bool) recall.Answer {
		server, err := postgres.New(postgres.Config{Address: address, Secret: []byte(map[bool]string{true: "desk", false: "lap"}[m == a]), Name: "x"})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		x, err := recall.Open(recall.Config{
			Root: m.Root, CacheDir: m.CacheDir, Store: m.Store, Embedder: models[m],
			Server: func() (recall.Server, error) { return server, nil }, ServerPatience: patience, EmbedPatience: patience,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.Close() }()
		if make {
			if err := x.MakeVectors(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if _, err := x.Copy(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := x.Search(t.Context(), recall.Query{Text: "automobile", Now: m.now, Strategy: recall.Hybrid})
		if err != nil || got.State.Server != nil {
			t.Fatal(err, got.State.Server)
		}
		return got
	}
	a.say("cpu-one", "my car is red", "bread bakes", "rain falls")
	b.say("cpu-two", "an otter swims")
	status, err := a.server.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status.Vectors == "" {
		t.Skip("this PostgreSQL has no pgvector: it searches by words alone")
	}
	search(a, true)
	got := search(b, true)
	if len(got.Hits) == 0 || got.Hits[0].Text != "my car is red" || got.Hits[0].Machine != "x" {
		t.Errorf("%+v, want what means the same at the other machine", got)
	}
	a.edit("cpu-one", "my car", "my house") // a new text has no vector until one is made
	for _, h := range search(b, false).Hits {
		if strings.Contains(h.Text, "house") && h.Semantic > 0 {
			t.Errorf("%q is near still", h.Text)
		}
	}

	b.say("cpu-two", "a car parks")
	models[b] = meanings{more: 3} // only this machine has another model by now
	if got := search(b, false); got.State.Vectors != recall.VectorsPaused {
		t.Errorf("%v: want that there are no vectors of it", got.State)
	}
	got = search(b, true)
	if len(got.Hits) == 0 || got.Hits[0].Text != "a car parks" || got.Hits[0].Semantic == 0 {
		t.Errorf("%+v, want its own by meaning", got)
	}
	for _, h := range got.Hits {
		if h.Semantic > 0 && h.Machine != "" {
			t.Errorf("%q of %s by vectors of another model", h.Text, h.Machine)
		}
	}
	models[a] = models[b]
	search(a, true)
	near := 0
	for _, h := range search(b, true).Hits {
		if h.Semantic > 0 && h.Machine != "" {
			near++
		}
	}
	if near == 0 {
		t.Error("nothing of the other machine is near, though both have one model again")
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a := newMachine(t, address, "desk")
	a.say("cpu-one", "the otter swims")
	c, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	if _, err := c.Exec(t.Context(), "INSERT INTO mac_stats_schema(version_id, is_applied) VALUES(99, true)"); err != nil {
		t.Fatal(err)
	}
	_, err = a.again(t, address, patience).Copy(t.Context())
	if !errors.Is(err, recall.ErrServer) || !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("%v, want that it is newer", err)
	}
}

func TestADroppedMachineIsGone(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	a, b := newMachine(t, address, "desk"), newMachine(t, address, "lap")
	a.say("cpu-one", "the otter swims")
	b.say("cpu-two", "the otter sleeps")
	if err := a.server.DropMachine(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.finds("otter", "the otter sleeps")
	a.sync()
	b.finds("otter", "the otter sleeps, the otter swims @desk")
}
