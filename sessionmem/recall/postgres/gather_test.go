package postgres

import (
	"context"
	"testing"
)

// A search that ran out of time must not make the next ones count all words as rare.
func TestUnreadableStatisticsAreReadAgain(t *testing.T) {
	s, err := New(Config{Address: "postgres://127.0.0.1:1/memory", Machine: "a"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if s.statistics(ctx); s.stats != nil {
		t.Errorf("%+v is kept", s.stats)
	}
}
