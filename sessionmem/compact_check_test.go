package sessionmem

import (
	"strings"
	"testing"

	"mac-stats/sessionmem/transcript"
)

// tripTalk is a conversation with asks, decisions and identifiers.
func tripTalk() []transcript.Block {
	var list []transcript.Block
	for _, pair := range [][2]string{
		{"I plan a weather app and need a free API for forecasts. Which one do you suggest?", "OpenWeather has a free plan with forecasts."},
		{"Good. Then we take OpenWeather, and the key stands in ~/.config/weather.toml.", "I note it: OpenWeather, key in the file."},
		{"The meeting with Anna about the design is on Monday at noon, in room B-204.", "Monday at noon."},
		{"Write the request in Go and handle error 429 with a retry after 30 seconds.", "Here is the code with a retry."},
		{"thanks!", "You're welcome."},
		{"One more: the app must work offline with the last forecast it has read.", "Keep the last forecast in a file."},
	} {
		list = append(list, transcript.Block{Kind: transcript.KindUser, Text: pair[0]}, transcript.Block{Kind: transcript.KindAssistant, Text: pair[1]})
	}
	return list
}

func TestASummaryHasToEarnItsPlace(t *testing.T) {
	before := &transcript.Block{Text: "The user is a nurse from Graz who learns programming at night and wants an app for allergies."}
	for name, tt := range map[string]struct {
		summary  string
		previous *transcript.Block
		missing  bool
		madeUp   bool
	}{
		"good":                              {"The user builds a weather app in Go. Decided: the OpenWeather API, its key in ~/.config/weather.toml. Error 429 is retried after 30 seconds. It must work offline with the last forecast. Meeting with Anna on Monday at noon, room B-204.", nil, false, false},
		"short and good":                    {"Weather app with OpenWeather forecasts (free API), a Go request with retry on error 429, offline with the last forecast read; design meeting with Anna on Monday.", nil, false, false},
		"as real weights wrote one":         {"FoxNews / Business", nil, true, true},
		"about something else":              {"The team discussed the quarterly sales figures and agreed to hire two designers for the new website in spring.", nil, true, true},
		"only one of many asks":             {"They have a meeting with Anna on Monday at noon.", nil, true, false},
		"an account of the talk":            {"The user asked several questions and the assistant answered all of them in a helpful way.", nil, true, true},
		"the user's words and much made up": {"Weather app, OpenWeather, offline forecast, error 429, Anna, Monday meeting. Stocks rallied yesterday while analysts praised quarterly earnings, investors cheered bullish momentum, politicians debated tariffs, economists predicted growth, banks reported profits, markets celebrated dividends, brokers upgraded ratings, traders bought shares.", nil, true, true},
		"forgets what was before":           {"Weather app with OpenWeather forecasts, key in ~/.config/weather.toml, Go request with retry on error 429, offline with the last forecast, meeting with Anna on Monday at noon.", before, true, false},
		"keeps what was before":             {"A nurse from Graz learns programming and builds a weather app with OpenWeather forecasts for allergies, Go request with retry on error 429, offline with the last forecast, meeting with Anna on Monday.", before, false, false},
		"empty":                             {"", nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			missing, madeUp := MissingFrom(tt.summary, tt.previous, tripTalk())
			if (len(missing) > 0) != tt.missing || madeUp != tt.madeUp {
				t.Errorf("missing %q, made up %v", missing, madeUp)
			}
		})
	}
	if missing, madeUp := MissingFrom("They greet.", nil, []transcript.Block{{Kind: transcript.KindUser, Text: "Hi!"}}); len(missing) > 0 || madeUp {
		t.Errorf("where nothing was said: %q, %v", missing, madeUp)
	}
}

func TestASummaryInOtherScriptsIsCompared(t *testing.T) {
	talk := []transcript.Block{
		{Kind: transcript.KindUser, Text: "我想去北京旅行，住在故宫附近的酒店。"},
		{Kind: transcript.KindAssistant, Text: "好的。"},
		{Kind: transcript.KindUser, Text: "请帮我预订星期五的火车票。"},
		{Kind: transcript.KindAssistant, Text: "好的。"},
	}
	if missing, madeUp := MissingFrom("用户想去北京旅行，住故宫附近的酒店，并预订星期五的火车票。", nil, talk); len(missing) > 0 || madeUp {
		t.Errorf("a good one: %q, %v", missing, madeUp)
	}
	if missing, madeUp := MissingFrom("今天股市上涨，分析师表示乐观。", nil, talk); len(missing) == 0 || !madeUp {
		t.Errorf("a bad one: %q, %v", missing, madeUp)
	}
}

// The Summary without a model passes the check that a model's has to pass.
func TestThePlainSummaryHoldsWhatTheUserSaid(t *testing.T) {
	text := withIdentifiers(PlainSummary(nil, tripTalk()), tripTalk())
	if missing, madeUp := MissingFrom(text, nil, tripTalk()); len(missing) > 0 || madeUp {
		t.Errorf("missing %q, made up %v in\n%s", missing, madeUp, text)
	}
	for _, want := range []string{"~/.config/weather.toml", "B-204", "error 429", "offline", "OpenWeather"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	long := strings.Repeat("Well, so it goes on and on. ", 30) + "The server is db-7.example.org and must not be restarted before Friday." + strings.Repeat(" And on it goes.", 30)
	if text := PlainSummary(nil, []transcript.Block{{Kind: transcript.KindUser, Text: long}}); !strings.Contains(text, "db-7.example.org") || len(text) > 1200 {
		t.Errorf("of a long message:\n%s", text)
	}
}

func TestWhatFitsStaysWordForWord(t *testing.T) {
	said := func(n, tokens int) (list []transcript.Block) {
		for range n {
			list = append(list, transcript.Block{Kind: transcript.KindUser, Text: strings.Repeat("word ", tokens)})
		}
		return list
	}
	withFile := said(8, 10)
	withFile[2].Text += "\n\n[notes.txt](files/" + strings.Repeat("a", 64) + ".txt)"
	for name, c := range map[string]struct {
		messages []transcript.Block
		policy   CompactPolicy
		want     int
	}{
		"all that fits":                 {said(8, 10), CompactPolicy{KeepRecent: 4, KeepTokens: 1000}, 8},
		"at most half of the window":    {said(30, 10), CompactPolicy{KeepRecent: 4, KeepTokens: 9000}, 10},
		"of a larger window, more":      {said(30, 10), CompactPolicy{KeepRecent: 4, KeepTokens: 9000, Window: 40}, 20},
		"as far as the tokens go":       {said(12, 100), CompactPolicy{KeepRecent: 4, KeepTokens: 700}, 5},
		"four, however long":            {said(12, 500), CompactPolicy{KeepRecent: 4, KeepTokens: 100}, 4},
		"none where none is asked for":  {said(12, 10), CompactPolicy{KeepRecent: 0, KeepTokens: 9000}, 0},
		"no more than before for files": {withFile, CompactPolicy{KeepRecent: 4, KeepTokens: 9000}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (Snapshot{Messages: c.messages}).Keep(c.policy); got != c.want {
				t.Errorf("%d stay, want %d", got, c.want)
			}
		})
	}
}
