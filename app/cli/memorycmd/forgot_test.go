package memorycmd

import (
	"testing"

	"mac-stats/sessionmem/forgotten"
)

func TestForgottenInOneLine(t *testing.T) {
	t.Parallel()
	of := func(place, action, session string) forgotten.Touched {
		return forgotten.Touched{Place: place, Action: action, Session: session}
	}
	final := forgotten.Touched{Place: "other file", Action: forgotten.Refused, Final: true}
	for _, tc := range []struct {
		found []forgotten.Touched
		want  string
	}{
		{[]forgotten.Touched{
			of("user", forgotten.Emptied, "a"), of("assistant", forgotten.Emptied, "a"), of("tool", forgotten.Emptied, "b"),
			of("memory", forgotten.Removed, ""), of("other file", forgotten.Refused, ""), of("user", forgotten.Kept, "c"),
		}, "Forgotten: 3 messages in 2 sessions, 1 memory line; 1 place refused."},
		{[]forgotten.Touched{
			of("user", forgotten.Emptied, "a"), of("summary", forgotten.Rebuilt, "a"), of("title", forgotten.Emptied, "a"),
			of("log", forgotten.Emptied, ""), of("lesson", forgotten.Proposed, "a"), of("transcript", forgotten.Pending, "b"),
		}, "Forgotten: 1 message in 1 session, 1 summary, 2 other places; 1 removal proposed; 1 place not done yet."},
		{[]forgotten.Touched{of("log", forgotten.Emptied, "")}, "Forgotten: 1 place."},
		{[]forgotten.Touched{final, final}, "Forgotten: nothing; 2 places stay: they came with mac-stats."},
	} {
		if got := forgotSummary(tc.found); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}
