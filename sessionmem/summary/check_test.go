package summary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mac-stats/sessionmem/transcript"
)

// tripTalk is a conversation with requests, decisions and identifiers.
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

func TestBadSummariesAreRejected(t *testing.T) {
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

// talkOf returns a conversation of the user's messages and the answers, in turn.
func talkOf(texts ...string) []transcript.Block {
	list := make([]transcript.Block, 0, len(texts))
	for i, text := range texts {
		list = append(list, transcript.Block{Kind: []transcript.Kind{transcript.KindUser, transcript.KindAssistant}[i%2], Text: text})
	}
	return list
}

// moveTalk returns two parts of one chat, four messages each, about the same thing.
func moveTalk() (first, second []transcript.Block) {
	return talkOf(
			"We move from our flat in Leeds to a house in York in May. How do I compare offers of moving companies?", "Compare the price, the insurance and the volume of the van.",
			"The first company, Harrow & Sons, wants 1,240 pounds with packing, the second one 980 without it. Which one is the better deal for our flat?", "With packing the first one is cheaper in the end.",
			"My piano weighs 210 kilos and the stairs of the new house are narrow. What must I tell the moving company?", "Tell them the weight, the floor and the width of the stairs.",
			"Write an email to Harrow & Sons that asks for a date between 12 and 16 May.", "Dear Sir or Madam, we would like to move between 12 and 16 May."),
		talkOf(
			"Which offices do I tell about our new address in York, and until when?", "The council, the bank, the doctor and the driving licence agency.",
			"Our landlord in Leeds keeps 300 pounds of the deposit for a scratch in the kitchen floor. May he do that for our flat?", "Only if the inventory shows that it wasn't there.",
			"The broadband in the house needs an engineer, and the first date is 3 June. How do we work from home until then?", "Use your phone as a hotspot.",
			"Make a list of what to label on the boxes so that we find the kettle and the school things on the first evening.", "Room, content, and a red dot for the first evening.")
}

func TestSummaryOfOnePartIsRejected(t *testing.T) {
	first, second := moveTalk()
	ofFirst := []string{
		"The user moves from a flat in Leeds to a house in York in May and compares offers of moving companies.",
		"Harrow & Sons want 1,240 pounds with packing, another company 980 without it; the first one is cheaper in the end.",
		"The piano weighs 210 kilos and the stairs of the new house are narrow.",
		"An email to Harrow & Sons asks for a date between 12 and 16 May.",
	}
	ofSecond := []string{
		"The user asked which offices to tell about the new address in York.",
		"The landlord in Leeds keeps 300 pounds of the deposit for a scratch in the kitchen floor of the flat.",
		"Broadband in the house needs an engineer, first date 3 June; until then they work from home by a phone's hotspot.",
		"A list of what to label on the boxes was made, for the kettle and the school things on the first evening.",
	}
	wordy := "In this conversation, the user is preparing a move from a flat in Leeds to a house in York and was looking for help with several things. They wanted to know how to compare the offers of moving companies, and the assistant recommended looking at price, insurance and volume. Harrow & Sons asked for 1,240 pounds including packing, while a competitor offered 980 without packing. The user also mentioned a heavy piano (210 kilos) and narrow stairs, and finally requested an email asking for a date from 12 to 16 May."
	for name, tt := range map[string]struct {
		summary string
		talk    []transcript.Block
		taken   bool
	}{
		"of the first part":                             {strings.Join(ofFirst, " "), first, true},
		"of the second part":                            {strings.Join(ofSecond, " "), second, true},
		"in many words":                                 {wordy, first, true},
		"the first for the second":                      {strings.Join(ofFirst, " "), second, false},
		"the second for the first":                      {strings.Join(ofSecond, " "), first, false},
		"in many words for the second":                  {wordy, second, false},
		"one of four":                                   {ofFirst[1], first, false},
		"another one of four":                           {ofSecond[2], second, false},
		"two of four":                                   {ofFirst[0] + " " + ofFirst[2], first, false},
		"two others of four":                            {ofSecond[1] + " " + ofSecond[2], second, false},
		"three of four":                                 {strings.Join(ofSecond[1:], " "), second, true},
		"the subject alone":                             {"The user moves from a flat in Leeds to a new house in York with a moving company.", first, false},
		"two of eight":                                  {ofFirst[0] + " " + ofSecond[1], append(slices.Clone(first), second...), false},
		"all of eight":                                  {strings.Join(ofFirst, " ") + " " + strings.Join(ofSecond, " "), append(slices.Clone(first), second...), true},
		"one word, as real weights say it":              {"main", first, false},
		"a speech to the user, as real weights make it": {"You're asking which office you should tell about the house, and I'm here to help you with your project and to give guidance on how to make it work smoothly.", second, false},
	} {
		t.Run(name, func(t *testing.T) {
			missing, madeUp := MissingFrom(tt.summary, nil, tt.talk)
			if taken := len(missing) == 0 && !madeUp; taken != tt.taken {
				t.Errorf("taken %v: missing %q, made up %v", taken, missing, madeUp)
			}
		})
	}
}

// Covering a long message takes more words than a short one.
func TestLongMessagesNeedMoreWords(t *testing.T) {
	long := "For the club's anniversary I need a hall for ninety guests with a stage, a kitchen that the caterer may use, parking for thirty cars, " +
		"steps without barriers for my grandfather's wheelchair, a piano in tune, curtains against the evening sun and a price below two thousand euros."
	talk := talkOf(long, "The Lindenhof has all of that.")
	if missing, _ := MissingFrom("A hall with a stage and a kitchen for the anniversary.", nil, talk); len(missing) == 0 {
		t.Error("four words stand for thirty")
	}
	good := "The user needs a hall for the club's anniversary: ninety guests, stage, kitchen, parking for thirty cars, wheelchair access, below two thousand euros. The Lindenhof has that."
	if missing, madeUp := MissingFrom(good, nil, talk); len(missing) > 0 || madeUp {
		t.Errorf("missing %q, made up %v", missing, madeUp)
	}
}

// A user who says "yes, let's do that" has said what the answer contains.
func TestSummaryMustCoverWhatTheUserAgreedTo(t *testing.T) {
	const options = "There are two ways. First: cron calls rsync each night, which copies the folder to the NAS in the cellar. Second: restic makes encrypted snapshots in a bucket at Hetzner, and prunes them after 90 days."
	const restic = "Then we set up restic: the bucket at Hetzner first, then encrypted snapshots each night, and a rule that prunes them after 90 days."
	for name, tt := range map[string]struct {
		yes, summary string
		taken        bool
	}{
		"what was chosen":         {"The second one.", "The user wants a backup of the photo folder on the laptop and chose restic: encrypted snapshots in a bucket at Hetzner, pruned after 90 days.", true},
		"what was not chosen":     {"The second one.", "The user wants a backup of the photo folder on the laptop. Cron calls rsync and copies to the NAS in the cellar.", false},
		"nothing of what it was":  {"Yes, let's do that!", "The user wants a backup of the photo folder on the laptop and agreed.", false},
		"a choice in a few words": {"Good, let's take the second one then.", "The user wants a backup of the photo folder on the laptop with restic: encrypted snapshots at Hetzner, pruned after 90 days.", true},
		"in Chinese, few words":   {"好的", "The user wants a backup of the photo folder on the laptop.", false},
	} {
		t.Run(name, func(t *testing.T) {
			talk := talkOf("I need a backup of the photo folder on my laptop, what do you suggest?", options, tt.yes, restic)
			missing, madeUp := MissingFrom(tt.summary, nil, talk)
			if taken := len(missing) == 0 && !madeUp; taken != tt.taken {
				t.Errorf("taken %v: missing %q, made up %v", taken, missing, madeUp)
			}
			if !tt.taken && !strings.Contains(strings.Join(missing, " "), "restic") {
				t.Errorf("what it lacks isn't told: %q", missing)
			}
			if plain := Plain(nil, talk); !strings.Contains(plain, "(of the answer: Second: restic") && !strings.Contains(plain, "restic makes encrypted") {
				t.Errorf("the Summary without a model lacks it:\n%s", plain)
			}
		})
	}
	thanks := talkOf("I need a backup of the photo folder on my laptop, what do you suggest?", options, "Thanks!", "You're welcome.")
	if missing, madeUp := MissingFrom("The user needs a backup of the photo folder on the laptop; two ways: rsync to the NAS or restic at Hetzner.", nil, thanks); len(missing) > 0 || madeUp {
		t.Errorf("thanks take nothing up: missing %q, made up %v", missing, madeUp)
	}
}

// Several messages of few words count as one of many.
func TestManyShortMessagesCount(t *testing.T) {
	talk := talkOf("Hotel in Prague?", "For how many nights?", "Three nights, May.", "Which budget?", "Hundred euros, near castle.", "And breakfast?", "Breakfast, yes.", "Noted.")
	if missing, madeUp := MissingFrom("The weather was discussed.", nil, talk); len(missing) == 0 || !madeUp {
		t.Errorf("missing %q, made up %v", missing, madeUp)
	}
	if missing, madeUp := MissingFrom("A hotel in Prague near the castle for three nights in May, hundred euros, with breakfast.", nil, talk); len(missing) > 0 || madeUp {
		t.Errorf("a good one: missing %q, made up %v", missing, madeUp)
	}
	again := talkOf("Please convert 9:00 in Berlin for people in Tokyo and Sydney.", "It failed.", "Please convert 9:00 in Berlin for people in Tokyo and Sydney.", "It is 17:00 in Tokyo.")
	if missing, _ := MissingFrom("They talked about people.", nil, again); len(missing) != 1 {
		t.Errorf("a message that was sent again: %q", missing)
	}
}

func TestSummariesInOtherScriptsAreChecked(t *testing.T) {
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

// The Summary without a model passes the check that a model's must pass.
func TestPlainSummaryPassesTheCheck(t *testing.T) {
	text := WithIdentifiers(Plain(nil, tripTalk()), tripTalk())
	if missing, madeUp := MissingFrom(text, nil, tripTalk()); len(missing) > 0 || madeUp {
		t.Errorf("missing %q, made up %v in\n%s", missing, madeUp, text)
	}
	for _, want := range []string{"~/.config/weather.toml", "B-204", "error 429", "offline", "OpenWeather"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	long := strings.Repeat("Well, so it goes on and on. ", 30) + "The server is db-7.example.org and must not be restarted before Friday." + strings.Repeat(" And on it goes.", 30)
	if text := Plain(nil, []transcript.Block{{Kind: transcript.KindUser, Text: long}}); !strings.Contains(text, "db-7.example.org") || len(text) > 1200 {
		t.Errorf("of a long message:\n%s", text)
	}
}

// A Summary without a model doesn't repeat quotations of the previous one.
func TestPlainSummaryQuotesOnce(t *testing.T) {
	talk := tripTalk()
	first := Plain(nil, talk[:8])
	second := Plain(&transcript.Block{Kind: transcript.KindSummary, Text: first + exactly + "B-204 · E-7"}, talk[2:])
	for text, want := range map[string]int{withoutModel: 1, "a free API for forecasts": 1, "~/.config/weather.toml": 1, "error 429": 1, "offline": 1, askedBy: 1, lastAnswer: 1, "E-7": 1} {
		if n := strings.Count(second, text); n != want {
			t.Errorf("%q stands there %d times, want %d, in\n%s", text, n, want, second)
		}
	}
	third := Plain(&transcript.Block{Kind: transcript.KindSummary, Text: second}, talkOf("And the colours?", "Blue."))
	for _, want := range []string{"a free API for forecasts", "offline", "And the colours?"} {
		if strings.Count(third, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, third)
		}
	}
}

// In a long conversation that no model summarises, the user's requests fade but don't disappear.
func TestLongConversationFadesInThePlainSummary(t *testing.T) {
	topics := strings.Fields("passport visa hotel train museum dinner umbrella camera ferry castle market bicycle concert beach luggage insurance currency adapter medicine phrasebook")
	var all []transcript.Block
	for _, topic := range topics {
		all = append(all, talkOf("About the "+topic+": "+strings.Repeat("I have thought of it for a while and would like to know more. ", 6), "Here is something.")...)
	}
	var before *transcript.Block
	for end := 8; end <= len(all); end += 8 {
		text := WithIdentifiers(Plain(before, all[max(end-12, 0):end]), all[max(end-12, 0):end])
		before = &transcript.Block{Kind: transcript.KindSummary, Text: text}
	}
	for _, topic := range topics {
		if n := strings.Count(before.Text, "About the "+topic); n != 1 {
			t.Errorf("%s is told %d times", topic, n)
		}
	}
	if n := len([]rune(before.Text)); n > 4500 || strings.Count(before.Text, beforeThat) != 1 {
		t.Errorf("%d characters:\n%s", n, before.Text)
	}
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("- line %d %s", i, strings.Repeat("x", i)))
	}
	text := fitLines(slices.Clone(many), 1600)
	if short := fitLines(many[:9], 1600); strings.Count(short, "\n") != 8 || strings.Contains(short, "…") {
		t.Errorf("what fits is cut:\n%s", short)
	}
	if n := len([]rune(text)); n > 1600 || !strings.HasPrefix(text, "- line 0 \n- line 8") || !strings.Contains(text, "- line 99 xxx") {
		t.Errorf("%d characters:\n%s", n, text)
	}
}
