package cpuwindow

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

func TestEditsMadeOutsideAppearInTheChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b, s := newBench(t).withStore()
		b.branched(s, "cpu-a")
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.Sees("20 minutes.")
		path := mustInfo(t, s, "cpu-a").Path
		for old, now := range map[string]string{"20 minutes.": "half an hour.", "how long exactly": "how long now"} {
			b.editFile(path, func(text string) string { return strings.ReplaceAll(text, old, now) })
			b.Sees(now)
			b.SeesNot(old)
		}
	})
}

// editFile changes a file as editors save: into a new file that takes the old one's name.
func (b *bench) editFile(path string, edit func(text string) string) {
	b.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path+".new", []byte(edit(string(data))), 0o600); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		b.t.Fatal(err)
	}
	time.Sleep(2 * watchEvery)
	b.Settle()
}

func TestOlderMessagesStayWhenTheFileChanges(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(b *bench, s *sessionmem.Store, path string)
		first  string // the oldest message shown afterwards
		last   string
	}{
		"an editor changes a message": {func(b *bench, _ *sessionmem.Store, path string) {
			b.editFile(path, func(text string) string { return strings.Replace(text, "message 199.", "message 199, edited.", 1) })
		}, "message 80.", "message 199, edited."},
		"an editor removes the oldest message shown": {func(b *bench, _ *sessionmem.Store, path string) {
			b.editFile(path, func(text string) string {
				at := strings.Index(text, "message 80.")
				from := strings.LastIndex(text[:at], "\n## ")
				return text[:from] + text[at+strings.Index(text[at:], "\n## "):]
			})
		}, "message 81.", "message 199."},
		"another program appends messages": {func(b *bench, s *sessionmem.Store, _ string) {
			for i := 200; i < 280; i++ {
				if _, err := s.Append(b.t.Context(), "cpu-x", transcript.Block{Kind: transcript.KindUser, Text: fmt.Sprintf("message %d.", i)}); err != nil {
					b.t.Fatal(err)
				}
			}
			time.Sleep(2 * watchEvery)
			b.Settle()
		}, "message 80.", "message 279."},
		"an edit is refused": {func(b *bench, _ *sessionmem.Store, _ string) {
			b.w.chat.View.Act.EditMessage("u150", "a better message")
			b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: "internal", Text: "The message is gone.", Err: errors.New("x")}
			close(b.run(0).Sent)
			b.Settle()
		}, "message 80.", "message 199."},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b, s := newBench(t).withStore()
				var blocks []transcript.Block
				for i := range 200 {
					blocks = append(blocks, transcript.Block{ID: fmt.Sprint("u", i), Kind: transcript.KindUser, Text: fmt.Sprintf("message %d.", i)})
				}
				if _, err := s.Session("cpu-x").Append(t.Context(), blocks...); err != nil {
					t.Fatal(err)
				}
				b.shown()
				b.w.OpenSession("cpu-x")
				b.Settle()
				b.w.chat.View.Act.ShowOlder()
				b.Settle()
				shown := func() (first, last string) {
					var texts []string
					for _, e := range b.w.chats().Shown().View(time.Now()).Entries {
						if e.Kind == conversation.User {
							texts = append(texts, e.Text)
						}
					}
					return texts[0], texts[len(texts)-1]
				}
				if first, _ := shown(); first != "message 80." {
					t.Fatalf("the oldest message shown is %q", first)
				}
				tt.change(b, s, mustInfo(t, s, "cpu-x").Path)
				if first, last := shown(); first != tt.first || last != tt.last {
					t.Errorf("shown from %q to %q, want from %q to %q", first, last, tt.first, tt.last)
				}
			})
		})
	}
}
