package discord

import (
	"strings"
	"testing"
	"time"
)

func TestCasualKnowsTheTimeOfDay(t *testing.T) {
	tests := map[string]string{"03:10": "night", "07:00": "morning", "11:59": "morning", "12:00": "afternoon", "17:59": "afternoon", "18:30": "evening", "22:00": "night"}
	for clock, want := range tests {
		now, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		if got := casualManner(now); period(now) != want || !strings.Contains(got, clock) || !strings.Contains(got, want) {
			t.Errorf("at %s it is %s: %s", clock, period(now), got)
		}
	}
}
