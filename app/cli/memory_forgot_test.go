package cli

import (
	"testing"

	"mac-stats/sessionmem"
)

func TestForgottenInOneLine(t *testing.T) {
	t.Parallel()
	of := func(place, action, session string) sessionmem.Touched {
		return sessionmem.Touched{Place: place, Action: action, Session: session}
	}
	final := sessionmem.Touched{Place: "other file", Action: sessionmem.ForgetRefused, Final: true}
	for _, tc := range []struct {
		found []sessionmem.Touched
		want  string
	}{
		{[]sessionmem.Touched{
			of("user", sessionmem.ForgetEmptied, "a"), of("assistant", sessionmem.ForgetEmptied, "a"), of("tool", sessionmem.ForgetEmptied, "b"),
			of("memory", sessionmem.ForgetRemoved, ""), of("other file", sessionmem.ForgetRefused, ""), of("user", sessionmem.ForgetKept, "c"),
		}, "Forgotten: 3 messages in 2 sessions, 1 memory line; 1 place refused."},
		{[]sessionmem.Touched{
			of("user", sessionmem.ForgetEmptied, "a"), of("summary", sessionmem.ForgetRebuilt, "a"), of("title", sessionmem.ForgetEmptied, "a"),
			of("log", sessionmem.ForgetEmptied, ""), of("lesson", sessionmem.ForgetProposed, "a"), of("transcript", sessionmem.ForgetPending, "b"),
		}, "Forgotten: 1 message in 1 session, 1 summary, 2 other places; 1 removal proposed; 1 place not done yet."},
		{[]sessionmem.Touched{of("log", sessionmem.ForgetEmptied, "")}, "Forgotten: 1 place."},
		{[]sessionmem.Touched{final, final}, "Forgotten: nothing; 2 places stay: they came with mac-stats."},
	} {
		if got := forgotSummary(tc.found); got != tc.want {
			t.Errorf("got  %s\nwant %s", got, tc.want)
		}
	}
}
