package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/corpus"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// connect returns a server as a machine sees it, and makes its tables.
func connect(t *testing.T, address, machine string) *postgres.Server {
	t.Helper()
	s, err := postgres.New(postgres.Config{Address: address, Secret: []byte(machine), Name: machine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if _, err := s.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// passagesOf returns passages of one file.
func passagesOf(n int) []recall.ServerPassage {
	all := make([]recall.ServerPassage, n)
	for i := range all {
		all[i] = recall.ServerPassage{
			ServerPlace: recall.ServerPlace{Key: "session/a.md", Number: i}, Print: int64(i + 1), Hash: uint64(i + 1), //nolint:gosec // small
			Chunk: corpus.Chunk{Session: "cpu-a", Block: fmt.Sprint("b", i), Kind: corpus.KindUser, Text: "the otter swims"},
		}
	}
	return all
}

// TestTheAppAndACommandCopyAtOnce: both are the same machine, and copy the same.
func TestTheAppAndACommandCopyAtOnce(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	all := passagesOf(40)
	failed := make(chan error)
	for range 2 {
		s := connect(t, address, "desk")
		go func() {
			var err error
			for n := 0; n < 60 && err == nil; n++ {
				_, err = s.Put(t.Context(), all, nil)
			}
			failed <- err
		}()
	}
	for range 2 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// TestVectorsWaitForNoOtherMachine: while one writes its vectors, so can another.
func TestVectorsWaitForNoOtherMachine(t *testing.T) {
	address := recalltest.SharedPostgres(t).Database(t)
	s := connect(t, address, "desk")
	if status, err := s.Status(t.Context()); err != nil || status.Vectors == "" {
		t.Skip("this PostgreSQL has no pgvector: it searches by words alone", err)
	}
	model := recall.EmbedModel{Name: "four", Digest: "1", Dims: 4}
	if _, err := s.Put(t.Context(), passagesOf(2), nil); err != nil {
		t.Fatal(err)
	}
	rows, err := s.Unembedded(t.Context(), model, 0, 10)
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	if err := s.PutVectors(t.Context(), model, []int64{rows[0].Entry}, [][]float32{{1, 0, 0, 0}}); err != nil { // makes the index
		t.Fatal(err)
	}
	other, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close(t.Context()) }()
	if _, err := other.Exec(t.Context(), fmt.Sprintf("BEGIN; UPDATE mirror SET model = 'x' WHERE entry = %d", rows[0].Entry)); err != nil {
		t.Fatal(err)
	}
	hasty := address + "?lock_timeout=5s" // else it would wait for as long as a copy may take
	if strings.Contains(address, "?") {
		hasty = address + "&lock_timeout=5s"
	}
	if err := connect(t, hasty, "lap").PutVectors(t.Context(), model, []int64{rows[1].Entry}, [][]float32{{0, 1, 0, 0}}); err != nil {
		t.Errorf("%v, while another machine writes", err)
	}
}
