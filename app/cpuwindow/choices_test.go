package cpuwindow

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/compose"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/transcript"
)

func warmth(t float64) *float64 { return &t }

// choose sets and saves the choice of a conversation.
func (b *bench) choose(c *conversation.Conversation, s transcript.Settings) {
	c.Choose(s)
	b.w.chat.DrawHeader()
	b.w.chats().WriteChoice(c, s)
}

func TestAChoiceGoesWithTheFirstMessageAndIsSavedAfterThat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		c := b.w.chats().Shown()
		b.keeper.refuse = fmt.Errorf("changing it: %w", session.ErrNotFound)
		want := transcript.Settings{Model: "qwen3:8b", Temperature: warmth(0.2), Prompt: "Short."}
		b.choose(c, want)
		b.Settle()
		b.Sees("qwen3:8b", "temperature 0.2 · instructions")
		b.w.chat.Send("q")
		if got := b.turns.requests[0].Settings; got == nil || !got.Equal(want) {
			t.Errorf("sent %+v", got)
		}
		b.run(0).events <- agents.Event{Type: agents.EventDone}
		close(b.run(0).events)
		b.Settle()

		b.keeper.refuse = nil
		b.choose(c, transcript.Settings{})
		b.Settle()
		b.keeper.mu.Lock()
		got, ok := b.keeper.settings[c.Name]
		b.keeper.mu.Unlock()
		if !ok || !got.IsZero() {
			t.Errorf("written %+v", got)
		}
		b.w.chat.Send("again")
		if got := b.turns.requests[1].Settings; got != nil {
			t.Errorf("what is written is sent again: %+v", got)
		}
		b.Sees("automatic model", "options")
	})
}

func TestAChoiceIsReadFromTheTranscript(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		note := transcript.Settings{Agent: "coder", Prompt: "Short."}.Note()
		note.ID = "2"
		b.sessions.files["cpu-a"] = &transcript.Transcript{
			Info:   transcript.Info{Name: "cpu-a", Path: "/x.md"},
			Blocks: []transcript.Block{{ID: "1", Kind: transcript.KindUser, Text: "q"}, note},
		}
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		b.Sees("coder", "instructions")
		b.SeesNot("agent: coder")
	})
}

func TestAChoiceMadeByAnotherProgramIsShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		tr := &transcript.Transcript{
			Info:   transcript.Info{Name: "cpu-a", Path: "/x.md"},
			Blocks: []transcript.Block{{ID: "1", Kind: transcript.KindUser, Text: "q"}},
		}
		b.sessions.files["cpu-a"] = tr
		b.shown()
		b.w.OpenSession("cpu-a")
		b.Settle()
		note := transcript.Settings{Model: "other:1b"}.Note()
		note.ID = "2"
		changed := *tr
		changed.Blocks = append(changed.Blocks[:1:1], note)
		b.sessions.files["cpu-a"] = &changed
		b.w.chats().Reload()
		b.Settle()
		b.Sees("other:1b")
	})
}

func TestAChoiceThatCantBeSavedIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.keeper.refuse = errors.New("the disk is full")
		b.choose(b.w.chats().Shown(), transcript.Settings{Model: "qwen3:8b"})
		b.Settle()
		b.Sees("couldn't be saved", "the disk is full")
	})
}

func TestAChoiceThatCouldNotBeSavedGoesWithTheNextMessage(t *testing.T) {
	want := transcript.Settings{Model: "qwen3:8b"}
	failed := agents.Event{Type: agents.EventError, Kind: fault.KindInternal, Text: "The message couldn't be saved.", Err: errors.New("disk full")}
	for name, tt := range map[string]struct {
		before func(b *bench)
		sends  bool // whether the message sent after before carries the choice
	}{
		"at once": {func(*bench) {}, true},
		"after the conversation was read again": {func(b *bench) {
			b.w.chats().Reload()
			b.Settle()
		}, true},
		"after a message that was refused too": {func(b *bench) {
			b.w.chat.Send("one")
			b.run(0).events <- failed
			close(b.run(0).events)
			b.Settle()
		}, true},
		"not after a message that was saved": {func(b *bench) {
			b.w.chat.Send("one")
			b.finish(0, "u9")
		}, false},
		"after the model answered again": {func(b *bench) {
			b.w.chat.Regenerate() // it writes no message
			b.finish(0, "u2")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := talked(t)
				b.keeper.refuse = errors.New("the disk is full")
				b.choose(b.w.chats().Shown(), want)
				b.Settle()
				tt.before(b)
				b.w.chat.Send("two")
				b.Settle()
				got := b.turns.requests[len(b.turns.requests)-1].Settings
				if sent := got != nil && got.Equal(want); sent != tt.sends {
					t.Errorf("the message is sent with %+v", got)
				}
				if chosen := b.w.chats().Shown().Chosen(); !chosen.Equal(want) {
					t.Errorf("chosen is %+v", chosen)
				}
			})
		})
	}
}

func TestAPrivateChatIsMarkedAndReusedWhileEmpty(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		first := b.w.chats().Shown().Name
		b.w.chat.Compose.Entry.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeyN, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift})
		b.Settle()
		name := b.w.chats().Shown().Name
		if name == first || !b.keeper.IsPrivate(name) {
			t.Errorf("the chat %s is not private", name)
		}
		b.Sees("A private chat", "Private: nothing is saved.", "private")
		b.w.chat.NewPrivateChat()
		if b.w.chats().Shown().Name != name {
			t.Error("an empty one is not kept")
		}
		b.w.NewChat()
		b.Settle()
		if b.w.chats().Shown().Private() || b.keeper.IsPrivate(b.w.chats().Shown().Name) {
			t.Error("a new chat is private")
		}
		b.Sees(compose.Placeholder())
		b.SeesNot("A private chat")
	})
}

func TestARefusedMessageOffersAWayOut(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		c := b.w.chats().Shown()
		picture := filepath.Join(t.TempDir(), "shot.png")
		writeText(t, picture, string(pictureBytes(t, 4, 4)))
		refuse := func(kind string) conversation.Fault {
			t.Helper()
			b.w.chat.Files.Attach([]string{picture})
			b.Settle()
			b.w.chat.Send("look")
			i := len(b.turns.requests) - 1
			b.run(i).events <- agents.Event{Type: agents.EventError, Kind: kind, Text: "It was refused."}
			close(b.run(i).events)
			b.Settle()
			return lastFault(c)
		}
		f := refuse(fault.KindNoVision)
		b.Sees("Send without the image", "Send again")
		b.w.chat.View.Act.SendWithoutImages(f)
		last := b.turns.requests[len(b.turns.requests)-1]
		if last.Text != "look" || len(last.Files) != 0 {
			t.Errorf("sent %+v", last)
		}
		close(b.run(len(b.turns.requests) - 1).events)
		b.Settle()

		f = refuse(fault.KindNoVision)
		b.w.chat.View.Act.UseModel("gemma3:4b", f)
		b.Settle()
		last = b.turns.requests[len(b.turns.requests)-1]
		if c.Chosen().Model != "gemma3:4b" || len(last.Files) != 1 { // the request or the transcript has the choice
			t.Errorf("chosen is %q, sent %+v", c.Chosen().Model, last)
		}
		close(b.run(len(b.turns.requests) - 1).events)
		b.Settle()

		f = refuse(fault.KindTooLong)
		b.Sees("Edit message")
		b.w.chat.View.Act.EditInComposer(f)
		b.Settle()
		if b.w.chat.Compose.Entry.Text != "look" || len(chipNames(b)) != 1 {
			t.Errorf("the composer holds %q and %v", b.w.chat.Compose.Entry.Text, chipNames(b))
		}
	})
}

func TestContextMenuShowsWhatFitsInMemory(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.models = []ollama.ModelInfo{{Name: "qwen3:8b", Size: 5.2e9, MaxContext: 40960, TokenBytes: 147456, Capabilities: []string{"completion"}}}
		b.set("ollama.model", "qwen3:8b")
		b.shown()
		b.w.chat.Choices.ShowOptions()
		b.Settle()
		b.Sees("as for all (16k)")
		b.Pushes(b.w.win.Canvas().Overlays().Top(), "as for all (16k)  ▾")
		b.Sees("4k tokens  ·  about 604 MB", "32k tokens  ·  about 4.8 GB", "40k tokens  ·  about 6.0 GB  ·  too much for this machine")
		for range 3 {
			b.focusedKey(fyne.KeyDown)
		}
		b.focusedKey(fyne.KeyReturn)
		b.Sees("8k tokens", "1.2 GB of memory")
		b.Confirm("Save")
		b.Sees("context 8k")
		if got := b.w.chats().Shown().Chosen().Context; got != 8192 {
			t.Errorf("chosen are %d", got)
		}
		b.w.chat.Choices.ShowOptions()
		b.Confirm("Save") // without a change
		if got := b.w.chats().Shown().Chosen().Context; got != 8192 {
			t.Errorf("opened and saved: %d", got)
		}
		b.w.chat.Choices.ShowOptions()
		b.Confirm("Reset all")
		if !b.w.chats().Shown().Chosen().IsZero() {
			t.Errorf("after the reset: %+v", b.w.chats().Shown().Chosen())
		}
	})
}

func TestAnswerAgainWithAnotherModel(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.server.models = []ollama.ModelInfo{{Name: "gemma3:4b", Capabilities: []string{"completion"}}, {Name: "qwen3:8b", Capabilities: []string{"completion"}}}
		b.w.setup.Check()
		b.Settle()
		test.Tap(b.button("Answer again with…", 1))
		b.Sees("gemma3:4b", "qwen3:8b")
		b.focusedKey(fyne.KeyDown) // the first item is automatic
		b.focusedKey(fyne.KeyDown)
		b.focusedKey(fyne.KeyReturn)
		if r := b.turns.requests[0]; r.Retry != "u2" || r.Settings == nil || r.Settings.Model != "gemma3:4b" {
			t.Errorf("the request is %+v", r)
		}
		b.finish(0, "u2")
		b.Sees("gemma3:4b", "answer u2")
		b.SeesNot("answer two")
		test.Tap(b.button("Answer again with…", 0)) // two messages would leave the conversation
		b.focusedKey(fyne.KeyDown)
		b.focusedKey(fyne.KeyDown)
		b.focusedKey(fyne.KeyDown)
		b.focusedKey(fyne.KeyReturn)
		b.Sees("Answer this message again?")
		if len(b.turns.requests) != 1 {
			t.Error("it didn't ask")
		}
		b.Confirm("Answer again")
		if r := b.turns.requests[1]; r.Retry != "u1" || r.Settings == nil || r.Settings.Model != "qwen3:8b" {
			t.Errorf("the request is %+v", r)
		}
	})
}
