package chats

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/app/config"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"
)

// onDisk is a bench with transcripts and a memory on disk.
type onDisk struct {
	*bench
	t      *testing.T
	store  *sessionmem.Store
	memory *memory.Memory
	refuse error // of SetSettings
}

// library is the store, which may refuse to write a choice.
type library struct {
	*sessionmem.Store
	o *onDisk
}

func (l library) SetSettings(ctx context.Context, name string, s transcript.Settings) error {
	if l.o.refuse != nil {
		return l.o.refuse
	}
	return l.Store.SetSettings(ctx, name, s)
}

// inBubble runs a test with transcripts on disk.
func inBubble(t *testing.T, f func(t *testing.T, b *onDisk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(50 * 365 * 24 * time.Hour) // a bubble begins in 2000, before files have been
		home := t.TempDir()
		ctx, end := context.WithCancel(t.Context())
		b := &onDisk{bench: &bench{ctx: ctx, home: home}, t: t, store: storetest.Open(t, home), memory: memory.New(memory.Config{Root: filepath.Join(home, "agents")})}
		b.Chats = New(b.bench, Parts{
			Engine: b.bench, Sessions: b.store, Library: library{b.store, b}, Memories: b.memory, Config: config.Default, Home: home,
			Notify: b.notify, Forgotten: b.store.Forgotten().HasTyped,
		})
		f(t, b)
		end()
		time.Sleep(time.Minute) // drafts and clocks
	})
}

// saved writes blocks to a session.
func (b *onDisk) saved(name string, blocks ...transcript.Block) {
	b.t.Helper()
	if _, err := b.store.Session(name).Append(b.t.Context(), blocks...); err != nil {
		b.t.Fatal(err)
	}
}

// opens reads a session and shows it.
func (b *onDisk) opens(name string) *conversation.Conversation {
	b.t.Helper()
	var c *conversation.Conversation
	b.onUI(func() {
		conv, open := b.Named(name)
		if c = conv; !open {
			b.Show(conv)
			b.Chats.Load(conv)
		}
	})
	return c
}

// texts returns the texts of a conversation's entries.
func texts(c *conversation.Conversation) []string {
	var out []string
	for _, e := range c.View(time.Now()).Entries {
		switch {
		case e.Doc != nil:
			out = append(out, e.Doc.Text())
		case e.Fault != nil:
			out = append(out, "failed "+e.Fault.Kind)
		case e.Text != "":
			out = append(out, e.Text)
		}
	}
	return out
}

func (b *onDisk) shows(c *conversation.Conversation, want ...string) {
	b.t.Helper()
	if got := texts(c); !slices.Equal(got, want) {
		b.t.Errorf("it shows %q, want %q", got, want)
	}
}

func turn() []transcript.Block {
	return []transcript.Block{{ID: "u1", Kind: transcript.KindUser, Text: "q"}, {ID: "a1", Kind: transcript.KindAssistant, Agent: "o", Parent: "u1", Text: "a"}}
}

func TestAConversationIsReadFromItsTranscript(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		b.saved("cpu-a", turn()...)
		c := b.opens("cpu-a")
		b.shows(c, "q", "a")
		if again, open := b.Named("cpu-a"); again != c || !open || b.Open("cpu-a") != c {
			t.Error("it is opened twice")
		}
		if c := b.opens("cpu-new"); c.View(time.Now()).Loading || c.View(time.Now()).LoadErr != nil || !c.Empty() {
			t.Error("one without a transcript isn't empty")
		}
		if b.Open("cpu-a") != nil {
			t.Error("what is on disk stays in memory")
		}
		path := filepath.Join(b.home, "session")
		if err := errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if c := b.opens("cpu-a"); c.View(time.Now()).LoadErr == nil {
			t.Error("that it can't be read isn't told")
		}
		if err := errors.Join(os.Remove(path), os.Rename(path+".away", path)); err != nil {
			t.Fatal(err)
		}
	})
}

// A run that this process has in progress, of a schedule say, goes on in the conversation.
func TestARunInProgressIsJoined(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		b.saved("cpu-a", turn()[0])
		r := &run{events: make(chan agents.Event)}
		b.active = r
		c := b.opens("cpu-a")
		if !c.Busy() {
			t.Fatal("it isn't answering")
		}
		r.events <- agents.Event{Type: agents.EventDone, Text: "done elsewhere", Block: "a9"}
		close(r.events)
		synctest.Wait()
		b.shows(c, "q", "done elsewhere")
	})
}

func TestTheShownConversationFollowsItsFile(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		b.onUI(b.Reload) // nothing is shown
		b.saved("cpu-a", turn()...)
		c := b.opens("cpu-a")
		b.saved("cpu-a", transcript.Settings{Model: "other:1b"}.Note())
		b.onUI(b.Reload)
		if c.Chosen().Model != "other:1b" {
			t.Errorf("chosen is %+v", c.Chosen())
		}
		b.saved("cpu-a", transcript.Block{ID: "u2", Kind: transcript.KindUser, Text: "from elsewhere"})
		b.onUI(b.Reload)
		b.shows(c, "q", "a", "from elsewhere", "not answered yet")
		b.onUI(func() { b.Turns.Send(c, "mine", nil); b.Reload() }) // not while it is answered
		b.shows(c, "q", "a", "from elsewhere", "mine")
		b.end(0, agents.Event{Type: agents.EventDone, Block: "a3"})
		if err := b.Reread(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		b.shows(c, "q", "a", "from elsewhere", "not answered yet")
		if err := b.Reread(t.Context(), conversation.New("cpu-gone")); err == nil {
			t.Error("one that is gone is read")
		}
	})
}

func TestWhatASaveRemovedIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		b.saved("cpu-a", turn()...)
		c := b.opens("cpu-a")
		tr, err := b.store.Load(t.Context(), "cpu-a")
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(tr.Info.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tr.Info.Path, data[:strings.Index(string(data), "\n## Assistant")], 0o600); err != nil {
			t.Fatal(err)
		}
		b.onUI(b.Reload)
		if got := texts(c); !slices.Contains(got, "1 message is no longer in the file") {
			t.Errorf("it shows %q", got)
		}
	})
}

func TestOlderMessagesAreReadOnDemand(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		var blocks []transcript.Block
		for i := range 100 {
			blocks = append(blocks, transcript.Block{ID: fmt.Sprint("u", i), Kind: transcript.KindUser, Text: fmt.Sprint("question ", i)})
		}
		b.saved("cpu-a", blocks...)
		c := b.opens("cpu-a")
		var found []conversation.Message
		b.onUI(func() { b.OlderMessages(func(m []conversation.Message) { found = m }) })
		if len(found) != 40 || found[39].Text != "question 39" {
			t.Errorf("%d are older", len(found))
		}
		b.onUI(func() { b.ReadOlder(c, func(tr *transcript.Transcript) { c.Prepend(tr) }) })
		if got := texts(c); got[0] != "question 0" {
			t.Errorf("it begins with %q", got[0])
		}
		b.onUI(func() { b.ReadOlder(c, func(*transcript.Transcript) { t.Error("there are none older") }) })
		b.saved("cpu-b", blocks...)
		c = b.opens("cpu-b")
		if err := b.store.Delete(t.Context(), "cpu-b"); err != nil {
			t.Fatal(err)
		}
		b.onUI(func() {
			b.ReadOlder(c, func(*transcript.Transcript) { t.Error("one that is gone was read") })
			b.OlderMessages(func([]conversation.Message) { t.Error("one that is gone was searched") })
		})
		if len(b.told) != 1 || !strings.Contains(b.told[0], "Older messages can't be read") {
			t.Errorf("it says %q", b.told)
		}
	})
}

func TestWhatTheUserDecidesIsWrittenAndShown(t *testing.T) {
	for name, tt := range map[string]struct {
		do     func(b *onDisk, c *conversation.Conversation, key, id string)
		memory string // memory.md contains it; "" for nothing
		shows  string
	}{
		"saved":     {func(b *onDisk, c *conversation.Conversation, key, id string) { b.Decisions.Decide(c, key, id, true) }, "- likes cats", "saved: proposed to remember “likes cats”"},
		"discarded": {func(b *onDisk, c *conversation.Conversation, key, id string) { b.Decisions.Decide(c, key, id, false) }, "", "discarded: proposed to remember “likes cats”"},
		"edited": {func(b *onDisk, c *conversation.Conversation, key, id string) {
			b.Decisions.SaveEdited(c, key, id, "likes big cats")
		}, "- likes big cats", "saved: proposed to remember “likes big cats”"},
		"gone": {func(b *onDisk, c *conversation.Conversation, key, id string) {
			b.Decisions.SaveEdited(c, key, "none", "x")
		}, "", "that failed"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *onDisk) {
				global := memory.Target{Kind: memory.TargetGlobal}
				b.saved("cpu-a", turn()...)
				p, err := b.memory.Propose(t.Context(), memory.Proposal{Kind: memory.ProposeAdd, Target: global, Text: "likes cats", Session: "cpu-a", To: "u1"})
				if err != nil {
					t.Fatal(err)
				}
				c := b.opens("cpu-a") // which shows what waits in the inbox
				var key string
				for _, e := range c.View(time.Now()).Entries {
					if e.Proposal == p.ID {
						key = e.Key
					}
				}
				b.onUI(func() { tt.do(b, c, key, p.ID) })
				if got := strings.Join(texts(c), "|"); key == "" || !strings.Contains(got, tt.shows) {
					t.Errorf("it shows %q", got)
				}
				f, err := b.memory.Load(global)
				if err != nil || !strings.Contains(f.Text, tt.memory) || tt.memory == "" && f.Text != "" {
					t.Errorf("the memory holds %q, %v", f.Text, err)
				}
			})
		})
	}
}

func TestALessonIsSavedAndUndone(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		c := b.opens("cpu-a")
		last := func() conversation.EntryView {
			e := c.View(time.Now()).Entries
			return e[len(e)-1]
		}
		saved := func() string {
			f, err := b.memory.Load(memory.Target{Kind: memory.TargetGlobal})
			if err != nil {
				t.Fatal(err)
			}
			return f.Text
		}
		w, err := b.memory.Append(t.Context(), memory.Lesson{Text: "I like tea", Target: memory.Target{Kind: memory.TargetGlobal}, Confidence: 1, Session: "cpu-a"})
		if err != nil {
			t.Fatal(err)
		}
		b.onUI(func() {
			b.AddLessons("cpu-a", []memory.Written{w}, nil, time.Now())
			b.AddLessons("cpu-other", []memory.Written{{Text: "elsewhere"}}, nil, time.Now())
		})
		note := last()
		if note.Text != "remembered “I like tea”" || !strings.Contains(saved(), "- I like tea") {
			t.Errorf("%q; the memory holds %q", note.Text, saved())
		}
		b.onUI(func() { b.Decisions.Undo(c, note.Key, note.UndoID) })
		if note = last(); note.Text != "forgotten again: “I like tea”" || strings.Contains(saved(), "tea") {
			t.Errorf("%q; the memory holds %q", note.Text, saved())
		}
	})
}

func TestAChoiceIsWrittenToTheTranscript(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		want := transcript.Settings{Model: "qwen3:8b"}
		choose := func(c *conversation.Conversation) { b.onUI(func() { c.Choose(want); b.WriteChoice(c, want) }) }
		waits := func(c *conversation.Conversation) bool {
			var req agents.Request
			c.AddChoice(&req)
			return req.Settings != nil
		}
		b.saved("cpu-a", turn()...)
		c := b.opens("cpu-a")
		choose(c)
		tr, err := b.store.Load(t.Context(), "cpu-a")
		if err != nil || tr.Settings().Model != "qwen3:8b" || waits(c) {
			t.Errorf("written is %+v, %v", tr.Settings(), err)
		}
		fresh := b.opens("cpu-new") // has no transcript yet
		if choose(fresh); !waits(fresh) || len(b.told) != 0 {
			t.Errorf("it doesn't go with the first message; told is %q", b.told)
		}
		b.onUI(func() { b.Turns.Send(fresh, "q", nil) })
		b.mu.Lock()
		events := b.runs[0].events
		b.mu.Unlock()
		events <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1"}
		if b.end(0, agents.Event{Type: agents.EventDone}); waits(fresh) {
			t.Error("it goes with the second message too")
		}
		b.refuse = errors.New("the disk is full")
		if choose(c); !waits(c) || len(b.told) != 1 || !strings.Contains(b.told[0], "the disk is full") {
			t.Errorf("told is %q", b.told)
		}
	})
}

func TestAFreshOrPrivateChatIsUsedUntilItBegins(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		b.onUI(func() {
			first := b.Fresh()
			b.Show(first)
			first.KeepDraft("half a thought")
			private := b.Private()
			b.Show(private)
			if again := b.Private(); again != private || !b.Chats.IsPrivate(private) || !b.store.IsPrivate(private.Name) {
				t.Error("an empty private chat isn't used again")
			}
			if b.Fresh() != first {
				t.Error("the one with a draft, which no list shows, is lost")
			}
			b.Show(first)
			if b.Fresh() != first || b.Shown() != first {
				t.Error("the shown one isn't used")
			}
			b.Drop(first.Name)
			if b.Open(first.Name) != nil {
				t.Error("it isn't closed")
			}
		})
	})
}

func TestAQuestionIsAnnouncedIfNobodyIsWatching(t *testing.T) {
	for name, watching := range map[string]bool{"nobody": false, "the user": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, b *onDisk) {
				c := b.opens("cpu-a")
				b.onUI(func() { b.SetVisible(true); b.Focus(watching); b.Turns.Send(c, "Why is my fan loud?", nil) })
				b.mu.Lock()
				events := b.runs[0].events
				b.mu.Unlock()
				q := agents.Question{ID: "c1", Tool: "RUN_CMD", What: "a secret"}
				events <- agents.Event{Type: agents.EventQuestion, Question: &q}
				synctest.Wait()
				if !b.Asking()["cpu-a"] {
					t.Error("it doesn't wait")
				}
				_, _, notified := b.seen()
				if want := map[bool]string{false: "“Why is my fan loud?”: a question waits for your answer"}[watching]; strings.Join(notified, "|") != want {
					t.Errorf("notified %q", notified)
				}
				if !watching {
					b.onUI(b.press)
					if b.opened != "cpu-a" {
						t.Errorf("pressing it opens %q", b.opened)
					}
				}
				b.end(0, agents.Event{Type: agents.EventError, Kind: fault.KindCancelled})
				if len(b.Asking()) != 0 {
					t.Error("it waits after the turn")
				}
			})
		})
	}
}

func TestANotificationNamesHowAnAnswerEnded(t *testing.T) {
	for want, last := range map[string]agents.Event{
		"“q”: the answer is ready": {Type: agents.EventDone}, "“q”: no answer: something went wrong": {Type: agents.EventError, Kind: fault.KindDown},
		"": {Type: agents.EventError, Kind: fault.KindCancelled},
	} {
		if got := finishedWords("“q”: ", last); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := about(conversation.New("cpu-a")); got != "" {
		t.Errorf("without a title it is about %q", got)
	}
}

func TestASentMessageCanBeRetriedEditedAndSentNow(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		b.saved("cpu-a", turn()...)
		c := b.opens("cpu-a")
		b.onUI(func() { b.Turns.Retry(c, conversation.Fault{UserID: "u1"}) })
		b.shows(c, "q")
		b.end(0, agents.Event{Type: agents.EventError, Kind: fault.KindServer}) // the file has the earlier answer
		b.shows(c, "q", "a", "failed server")
		b.onUI(func() { b.Turns.Edit(c, "u1", "better") })
		b.shows(c, "better")
		b.saved("cpu-a",
			transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "u1"},
			transcript.Block{ID: "u2", Kind: transcript.KindUser, Text: "better"})
		b.mu.Lock()
		events := b.runs[1].events
		b.mu.Unlock()
		events <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u2"}
		b.end(1, agents.Event{Type: agents.EventDone, Text: "yes", Block: "a2"})
		if v := c.View(time.Now()).Entries[0].Versions; !slices.Equal(v, []string{"u1", "u2"}) {
			t.Errorf("the versions are %v", v)
		}
		b.onUI(func() { b.Turns.Send(c, "one", nil); b.Turns.Send(c, "two", nil); b.Turns.Send(c, "three", nil) })
		b.onUI(func() {
			if b.Turns.SendNow(c, 2) {
				t.Error("it is sent during the answer")
			}
		})
		b.end(2, agents.Event{Type: agents.EventError, Kind: fault.KindDown}) // nothing was written
		asked, _, _ := b.seen()
		if asked[len(asked)-1] != "three" {
			t.Errorf("sent are %q", asked)
		}
		b.end(3, agents.Event{Type: agents.EventError, Kind: fault.KindDown})
		b.onUI(func() { b.Turns.Retry(c, conversation.Fault{Text: "three"}) })
		b.end(4, agents.Event{Type: agents.EventError, Kind: fault.KindDown})
		b.onUI(func() {
			if !b.Turns.SendNow(c, 1) || b.Turns.SendNow(c, 7) {
				t.Error("the one that waits isn't sent, or one that doesn't is")
			}
		})
		asked, _, _ = b.seen()
		if got := asked[4:]; !slices.Equal(got, []string{"three", "two"}) {
			t.Errorf("sent are %q", asked)
		}
		b.end(5, agents.Event{Type: agents.EventDone})
	})
}

func TestForgottenTextIsDroppedEverywhere(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		if err := conversation.WriteDrafts(b.Drafts.path, map[string]conversation.SavedDraft{"cpu-old": {Draft: "a zebra", Queue: []string{"fine"}}}); err != nil {
			t.Fatal(err)
		}
		b.Drafts = newDrafts(b.bench, b.parts, b.open)
		b.saved("cpu-a", turn()...)
		a := b.opens("cpu-a")
		a.KeepDraft("another zebra") // keeps it open
		shown := b.opens("cpu-b")
		shown.KeepDraft("the zebra")
		var dropped bool
		b.onUI(func() { dropped = b.DropForgotten(func(s string) bool { return strings.Contains(s, "zebra") }) })
		if !dropped || shown.Draft() != "" || a.Draft() != "" {
			t.Errorf("the drafts are %q and %q", shown.Draft(), a.Draft())
		}
		b.shows(a, "q", "a")
		b.onUI(b.Drafts.Write)
		kept := conversation.ReadDrafts(b.Drafts.path, func(string, time.Time) bool { return false })
		if k := kept["cpu-old"]; k.Draft != "" || !slices.Equal(k.Queue, []string{"fine"}) || len(kept) != 1 {
			t.Errorf("saved are %+v", kept)
		}
	})
}

// Writing takes a while: an older state never replaces a newer one. A chat that has not begun
// is saved without its name.
func TestTheNewestDraftsAreSaved(t *testing.T) {
	inBubble(t, func(t *testing.T, b *onDisk) {
		if err := os.MkdirAll(filepath.Join(b.home, "session"), 0o700); err != nil {
			t.Fatal(err)
		}
		c := b.Fresh()
		b.onUI(func() { b.Show(c); c.KeepDraft("old") })
		old := b.Drafts.snapshot()
		c.KeepDraft("new")
		b.Drafts.snapshot()()
		old()
		kept := conversation.ReadDrafts(b.Drafts.path, func(string, time.Time) bool { return false })
		if kept[""].Draft != "new" || len(kept) != 1 {
			t.Errorf("saved are %+v", kept)
		}
		b.onUI(b.Drafts.Save)
		b.onUI(b.Drafts.Save)
		time.Sleep(time.Minute)
	})
}
