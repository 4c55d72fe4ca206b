package chatpane

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

func warmth(t float64) *float64 { return &t }

func TestWarnsBeforeSendingATextTooLongForTheModel(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.models = []ollama.ModelInfo{{Name: "small:1b", MaxContext: 2048}, {Name: "large:8b", MaxContext: 131072}}
		b.shown()
		text := strings.Repeat("word ", 500)
		for model, want := range map[string]string{
			"":         "",
			"large:8b": "",
			"small:1b": "About 625 tokens: small:1b has room for about 536. Shorten it, attach it as a file, or choose a model with a larger context.",
		} {
			b.choose(transcript.Settings{Model: model})
			b.pane.Compose.Entry.SetText(text)
			if got := b.pane.Compose.Warned; got != want || b.pane.Compose.Note.Hidden != (want == "") {
				t.Errorf("%q: it says %q", model, got)
			}
			b.pane.Compose.Entry.SetText("")
			if b.pane.Compose.Warned != "" {
				t.Errorf("of nothing it says %q", b.pane.Compose.Warned)
			}
		}
		b.pane.Chats.Shown().Apply(agents.Event{Type: agents.EventUsage, Usage: &agents.Usage{ContextSize: 1500}})
		b.pane.Compose.Entry.SetText(text)
		if !strings.Contains(b.pane.Compose.Warned, "has room for about 125.") {
			t.Errorf("it says %q", b.pane.Compose.Warned)
		}
	})
}

func TestAChoiceGoesWithTheFirstMessageAndIsSavedAfterThat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		c := b.pane.Chats.Shown()
		want := transcript.Settings{Model: "qwen3:8b", Temperature: warmth(0.2), Prompt: "Short."}
		b.choose(want)
		b.Settle()
		b.Sees("qwen3:8b", "temperature 0.2 · instructions")
		b.pane.Send("q")
		if got := b.turns.requests[0].Settings; got == nil || !got.Equal(want) {
			t.Errorf("sent %+v", got)
		}
		b.run(0).Sent <- agents.Event{Type: agents.EventDone}
		close(b.run(0).Sent)
		b.Settle()

		b.saved(c.Name, transcript.Block{Kind: transcript.KindUser, Text: "q"}, want.Note()) // as the turn does
		b.choose(transcript.Settings{})
		if got := b.onDisk(c.Name).Settings(); !got.IsZero() {
			t.Errorf("written %+v", got)
		}
		b.pane.Send("again")
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
		b.saved("cpu-a", transcript.Block{ID: "1", Kind: transcript.KindUser, Text: "q"}, note)
		b.shown()
		b.pane.OpenSession("cpu-a")
		b.Settle()
		b.Sees("coder", "instructions")
		b.SeesNot("agent: coder")
	})
}

func TestAChoiceMadeByAnotherProgramIsShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.said("cpu-a", "q")
		b.shown()
		b.pane.OpenSession("cpu-a")
		b.Settle()
		b.saved("cpu-a", transcript.Settings{Model: "other:1b"}.Note())
		b.pane.Chats.Reload()
		b.Settle()
		b.Sees("other:1b")
	})
}

func TestAChoiceThatCantBeSavedIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.refuse = errors.New("the disk is full")
		b.choose(transcript.Settings{Model: "qwen3:8b"})
		b.says("couldn't be saved", "the disk is full")
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
			b.pane.Chats.Reload()
			b.Settle()
		}, true},
		"after a message that was refused too": {func(b *bench) {
			b.pane.Send("one")
			b.run(0).Sent <- failed
			close(b.run(0).Sent)
			b.Settle()
		}, true},
		"not after a message that was saved": {func(b *bench) {
			b.pane.Send("one")
			b.finish(0, "u9")
		}, false},
		"after the model answered again": {func(b *bench) {
			b.pane.Regenerate() // it writes no message
			b.finish(0, "u2")
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := talked(t)
				b.refuse = errors.New("the disk is full")
				b.choose(want)
				tt.before(b)
				b.pane.Send("two")
				b.Settle()
				got := b.turns.requests[len(b.turns.requests)-1].Settings
				if sent := got != nil && got.Equal(want); sent != tt.sends {
					t.Errorf("the message is sent with %+v", got)
				}
				if chosen := b.pane.Chats.Shown().Chosen(); !chosen.Equal(want) {
					t.Errorf("chosen is %+v", chosen)
				}
			})
		})
	}
}

func TestARefusedMessageOffersAWayOut(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		c := b.pane.Chats.Shown()
		picture := filepath.Join(t.TempDir(), "shot.png")
		writeTo(t, picture, pictureBytes(t, 4, 4))
		refuse := func(kind string) conversation.Fault {
			t.Helper()
			b.pane.Files.Attach([]string{picture})
			b.Settle()
			b.pane.Send("look")
			i := len(b.turns.requests) - 1
			b.run(i).Sent <- agents.Event{Type: agents.EventError, Kind: kind, Text: "It was refused."}
			close(b.run(i).Sent)
			b.Settle()
			return lastFault(c)
		}
		f := refuse(fault.KindNoVision)
		b.Sees("Send without the image", "Send again")
		b.pane.View.Act.SendWithoutImages(f)
		last := b.turns.requests[len(b.turns.requests)-1]
		if last.Text != "look" || len(last.Files) != 0 {
			t.Errorf("sent %+v", last)
		}
		close(b.run(len(b.turns.requests) - 1).Sent)
		b.Settle()

		f = refuse(fault.KindNoVision)
		b.pane.View.Act.UseModel("gemma3:4b", f)
		b.Settle()
		last = b.turns.requests[len(b.turns.requests)-1]
		if c.Chosen().Model != "gemma3:4b" || len(last.Files) != 1 { // the request or the transcript has the choice
			t.Errorf("chosen is %q, sent %+v", c.Chosen().Model, last)
		}
		close(b.run(len(b.turns.requests) - 1).Sent)
		b.Settle()

		f = refuse(fault.KindTooLong)
		b.Sees("Edit message")
		b.pane.View.Act.EditInComposer(f)
		b.Settle()
		if b.pane.Compose.Entry.Text != "look" || len(chipNames(b)) != 1 {
			t.Errorf("the composer holds %q and %v", b.pane.Compose.Entry.Text, chipNames(b))
		}
	})
}

func TestContextMenuShowsWhatFitsInMemory(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.models = []ollama.ModelInfo{{Name: "qwen3:8b", Size: 5.2e9, MaxContext: 40960, TokenBytes: 147456, Capabilities: []string{"completion"}}}
		b.conf.Ollama.Model = "qwen3:8b"
		b.shown()
		b.pane.Choices.ShowOptions()
		b.Settle()
		b.Sees("as for all (16k)")
		b.Pushes(b.Win.Canvas().Overlays().Top(), "as for all (16k)  ▾")
		b.Sees("4k tokens  ·  about 604 MB", "32k tokens  ·  about 4.8 GB", "40k tokens  ·  about 6.0 GB  ·  too much for this machine")
		for range 3 {
			b.press(fyne.KeyDown)
		}
		b.press(fyne.KeyReturn)
		b.Sees("8k tokens", "1.2 GB of memory")
		b.Confirm("Save")
		b.Sees("context 8k")
		if got := b.pane.Chats.Shown().Chosen().Context; got != 8192 {
			t.Errorf("chosen are %d", got)
		}
		b.pane.Choices.ShowOptions()
		b.Confirm("Save") // without a change
		if got := b.pane.Chats.Shown().Chosen().Context; got != 8192 {
			t.Errorf("opened and saved: %d", got)
		}
		b.pane.Choices.ShowOptions()
		b.Confirm("Reset all")
		if !b.pane.Chats.Shown().Chosen().IsZero() {
			t.Errorf("after the reset: %+v", b.pane.Chats.Shown().Chosen())
		}
	})
}

func TestAnswerAgainWithAnotherModel(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		b.server.models = []ollama.ModelInfo{{Name: "gemma3:4b", Capabilities: []string{"completion"}}, {Name: "qwen3:8b", Capabilities: []string{"completion"}}}
		b.setup.Check()
		b.Settle()
		test.Tap(b.button("Answer again with…", 1))
		b.Sees("gemma3:4b", "qwen3:8b")
		b.press(fyne.KeyDown) // the first item is automatic
		b.press(fyne.KeyDown)
		b.press(fyne.KeyReturn)
		if r := b.turns.requests[0]; r.Retry != "u2" || r.Settings == nil || r.Settings.Model != "gemma3:4b" {
			t.Errorf("the request is %+v", r)
		}
		b.finish(0, "u2")
		b.Sees("gemma3:4b", "answer u2")
		b.SeesNot("answer two")
		test.Tap(b.button("Answer again with…", 0)) // two messages would leave the conversation
		b.press(fyne.KeyDown)
		b.press(fyne.KeyDown)
		b.press(fyne.KeyDown)
		b.press(fyne.KeyReturn)
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

func TestWarnsBeforeSendingMoreThanAMessageHasRoomFor(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.conf.Session.MaxTokens = 8192
		dir := t.TempDir()
		long, short := filepath.Join(dir, "long.txt"), filepath.Join(dir, "short.txt")
		writeTo(t, long, []byte(strings.Repeat("a line of a log\n", 5000)))
		writeTo(t, short, []byte("apples"))
		b.drop(short)
		if got := b.pane.Compose.Warned; got != "" {
			t.Errorf("of a file that fits it says %q", got)
		}
		b.drop(long)
		const want = "Only about 24 % of the attached text will be sent: that is what a message has room for. Attach the part that matters."
		if got := b.pane.Compose.Warned; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
		b.pane.Compose.Entry.SetText("what went wrong?")
		if got := b.pane.Compose.Warned; got != want {
			t.Errorf("beside a question it says %q", got)
		}
		b.pane.Compose.OnRemove(1)
		if got := b.pane.Compose.Warned; got != "" {
			t.Errorf("without the file it says %q", got)
		}
	})
}
