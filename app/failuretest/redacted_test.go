//go:build unix

package failuretest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
)

// asSummary is part of each Summary that was made without a model.
const asSummary = "made without a model"

// hasSummary reports whether a text contains the Summary of the first messages.
func hasSummary(text string) bool {
	return strings.Contains(text, asSummary) && strings.Contains(text, "we meet in "+secretWord)
}

// A Summary of a message, or of words in one, that the user has removed from a transcript
// is neither sent nor found, in this session and in others. Other changes by an editor's
// save, and a restoring, leave it alone.
func TestASummaryOfRemovedTextIsDropped(t *testing.T) {
	t.Parallel()
	deleted := func(text string) string {
		from := strings.Index(text, "## User")
		return text[:from] + text[from+3+strings.Index(text[from+3:], "## User"):]
	}
	for name, tt := range map[string]struct {
		edit  func(text string) string
		then  []string // a command
		stays bool
	}{
		"words changed": {edit: func(text string) string {
			return strings.Replace(text, "\nwe meet in "+secretWord, "\nwe meet", 1)
		}},
		"a message emptied": {edit: func(text string) string {
			return strings.Replace(text, "\nwe meet in "+secretWord, "", 1)
		}},
		"a message deleted":                   {edit: deleted},
		"a message deleted, and that is kept": {edit: deleted, then: []string{"sessions", "restore", "--keep-removed", "s"}},
		"a message deleted and restored":      {edit: deleted, then: []string{"sessions", "restore", "s"}, stays: true},
		"line ends of Windows": {edit: func(text string) string {
			return strings.ReplaceAll(text, "\n", "\r\n") + "\r\n\r\n"
		}, stays: true},
		"blanks at the ends of lines": {edit: func(text string) string {
			return strings.Replace(text, "\nbring a coat\n", "\n\nbring a  coat  \n\n", 1)
		}, stays: true},
		"an older Summary, words changed": {edit: func(text string) string {
			text = regexp.MustCompile(`(told=\d+-[0-9a-f]{8})-[0-9a-f]{8}`).ReplaceAllString(text, "$1")
			return strings.Replace(text, "\nbring a coat", "\nbring no coat", 1)
		}, stays: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := testkit.Start(t, testkit.Script{
				Models: []testkit.Model{{Name: "tiny:1b", ParameterSize: "1B", Capabilities: []string{"completion"}}},
				Rules:  []testkit.Rule{{Reply: testkit.Reply{Text: "Fine."}}},
			})
			r := &returning{place: newPlace(t, server.Addr()), server: server}
			for _, text := range []string{"we meet in " + secretWord, "bring a coat", "and gloves", "or not", "whatever", "so be it"} {
				r.do("ask", "--session", "s", text)
			}
			r.do("sessions", "compact", "s")
			file := r.file(r.base)
			text, err := os.ReadFile(file)
			if err != nil || !hasSummary(string(text)) {
				t.Fatalf("not compacted: %v\n%s", err, text)
			}
			r.do("memory", "reindex")
			r.put(file, []byte(tt.edit(string(text))))
			found := func() bool {
				return hasSummary(r.do("memory", "search", "--all-sessions", "summary "+asSummary+" quotes the conversation").stdout)
			}
			if tt.then != nil {
				r.do("sessions", "list")
				r.do(tt.then...)
			}
			if got := found(); got != tt.stays {
				t.Errorf("found: %v", got)
			}
			before := len(server.Chats())
			r.do("ask", "--session", "s", "are there coats?")
			r.do("memory", "reindex")
			if got := found(); got != tt.stays {
				t.Errorf("found when it was indexed anew: %v", got)
			}
			r.env = append(r.env, "MAC_STATS_RECALL_CROSS_SESSION=true")
			r.do("ask", "--session", "another", "who meets with coats?")
			for i, c := range server.Chats()[before:] {
				holds := false
				for _, m := range c.Chat.Messages {
					holds = holds || hasSummary(m.Content)
				}
				if holds != tt.stays && (i == 0 || holds) {
					t.Errorf("request %d holds the Summary: %v", i, holds)
				}
			}
			if said, _ := call(t, assistant(t, r.place), "search_memory", map[string]any{"query": "summary " + asSummary + " quotes the conversation"}); hasSummary(said) != tt.stays {
				t.Errorf("search_memory: %s", said)
			}
		})
	}
}
