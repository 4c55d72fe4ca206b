package recall_test

import (
	"testing"

	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
	"mac-stats/sessionmem/recall/postgres/postgrestest"
)

// TestQualityOfAServer prints how well a PostgreSQL server finds beside the index.
func TestQualityOfAServer(t *testing.T) {
	cluster := postgrestest.Start(t)
	recall.MeasureServer(t, func() recall.Server {
		s, err := postgres.New(postgres.Config{Address: cluster.Database(t), Machine: "here"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
