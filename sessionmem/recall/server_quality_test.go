package recall_test

import (
	"context"
	"hash/fnv"
	"os"
	"strings"
	"testing"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/recalltest"
)

// TestQualityOfAServer prints how well a PostgreSQL server finds, beside the index.
func TestQualityOfAServer(t *testing.T) {
	cluster := recalltest.StartPostgres(t)
	recall.MeasureServer(t, func() string { return cluster.Database(t) }, func(address, machine string) recall.Server {
		s, err := postgres.New(postgres.Config{Address: address, Secret: []byte(machine)})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// BenchmarkServer compares a PostgreSQL server with the index of this machine.
func BenchmarkServer(b *testing.B) {
	for _, c := range []struct {
		name     string
		chunks   int
		embedder recall.Embedder
	}{
		{"10000", 10_000, nil},
		{"60000", 60_000, nil},
		{"60000-hybrid", 60_000, hashed{}},
		{"600000", 600_000, nil},
	} {
		if c.chunks > 100_000 && os.Getenv("RECALL_LARGE") == "" {
			continue // minutes: on request
		}
		b.Run(c.name, func(b *testing.B) {
			cluster := recalltest.StartPostgres(b)
			address := cluster.Database(b)
			recall.BenchServer(b, c.chunks, c.embedder, func(machine string) recall.Server {
				s, err := postgres.New(postgres.Config{Address: address, Secret: []byte(machine)})
				if err != nil {
					b.Fatal(err)
				}
				return s
			})
		})
	}
}

// hashed makes vectors from the hashes of words: texts with common words are near each other.
type hashed struct{}

const hashedDims = 384

func (hashed) Model(context.Context) (recall.EmbedModel, error) {
	return recall.EmbedModel{Name: "hashed", Digest: "1"}, nil
}

func (hashed) Embed(_ context.Context, _ recall.EmbedModel, _ recall.EmbedAs, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = make([]float32, hashedDims)
		for word := range strings.FieldsSeq(text) {
			h := fnv.New64a()
			_, _ = h.Write([]byte(word)) // a hash never fails
			for sum := h.Sum64(); sum > 0; sum >>= 16 {
				out[i][sum%hashedDims]++
			}
		}
	}
	return out, nil
}
