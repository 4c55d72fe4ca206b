package chatpane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

func TestAPlaceInAChatIsShownAndItsWordsAreMarkedForAWhile(t *testing.T) {
	for name, tt := range map[string]struct {
		block, phrase string
		marked        int    // places
		read          string // where the user is led instead
	}{
		"a word":                    {block: "b3", phrase: "noted", marked: 1},
		"a part of a word":          {block: "b0", phrase: "eph", marked: 1},
		"no phrase":                 {block: "b3"},
		"a block that isn't shown":  {block: "gone", phrase: "noted", read: "read cpu-x gone noted"},
		"on an abandoned branch":    {block: "old", phrase: "left", read: "read cpu-x old left"},
		"with quotation marks":      {block: "b0", phrase: `"zephyr listens"`, marked: 2},
		"a phrase that isn't there": {block: "b0", phrase: "ostrich"},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t).shown()
				long := strings.Repeat("and so on\n\n", 60)
				b.said("cpu-x", "the zephyr listens", long, "on which port?", "it is noted")
				b.saved("cpu-x",
					transcript.Block{ID: "old", Kind: transcript.KindUser, Text: "what is left?"},
					transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteRewind, Text: "old"},
					transcript.Block{ID: "new", Kind: transcript.KindUser, Text: "what is next?"})
				b.pane.OpenAt(b.onDisk("cpu-x").Info, tt.block, tt.phrase)
				for b.pane.seek != nil || tt.read != "" && len(b.ways) == 0 {
					(<-b.Queue)()
				}
				if tt.read != "" {
					b.leads(tt.read)
					return
				}
				if got := b.marked(); got != tt.marked {
					t.Errorf("%d places are marked, want %d", got, tt.marked)
				}
				port := b.pane.View.Port
				if tt.block == "b0" && port.Offset > 100 || port.Follow {
					t.Errorf("the chat is at %g of %g", port.Offset, port.MaxOffset())
				}
				time.Sleep(marksStay)
				b.Settle()
				if b.marked() != 0 || len(b.ways) != 0 {
					t.Errorf("later %d places are marked, and the user is led to %q", b.marked(), b.ways)
				}
			})
		})
	}
}

func TestAMessageNamesAnAgentASkillOrACommand(t *testing.T) {
	for name, tt := range map[string]struct {
		typed, pasted      string
		text, agent, skill string // of the request; "" means that nothing is sent
		draft              string
	}{
		"an agent":            {typed: "/coder fix this", text: "fix this", agent: "coder"},
		"a skill":             {typed: "/release-notes of today", text: "of today", skill: "release-notes"},
		"an agent alone":      {typed: "/coder ", draft: "/coder "},
		"a broken agent":      {typed: "/broken do it", text: "/broken do it"},
		"a broken skill":      {typed: "/torn do it", text: "/torn do it"},
		"a path":              {typed: "/etc/hosts is empty", text: "/etc/hosts is empty"},
		"a command":           {typed: "/new"},
		"a pasted command":    {pasted: "/new", text: "/new"},
		"a pasted first word": {pasted: "/new", typed: " things", text: "/new things"},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := slashBench(t)
				clip, e := fyne.CurrentApp().Clipboard(), b.pane.Compose.Entry
				if tt.pasted != "" {
					clip.SetContent(tt.pasted)
					e.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
				}
				b.enter(tt.typed)
				if len(b.turns.requests) != min(len(tt.text), 1) || e.Text != tt.draft || b.pane.Chats.Shown().Draft() != tt.draft {
					t.Fatalf("%d requests, the composer holds %q", len(b.turns.requests), e.Text)
				}
				if tt.draft != "" {
					b.Sees("Write what coder is to do.")
				}
				if tt.text == "" {
					return
				}
				if r := b.turns.requests[0]; r.Text != tt.text || r.Agent != tt.agent || r.Skill != tt.skill {
					t.Errorf("the request is %+v", r)
				}
			})
		})
	}
}

func TestAQuoteIsAppendedToTheMessage(t *testing.T) {
	for name, tt := range map[string]struct {
		written string
		want    string
		fresh   bool // in a new chat
	}{
		"nothing is written":   {"", "two processes\n\n", true},
		"a message is written": {"why is this so?\n", "why is this so?\n\ntwo processes\n\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := talked(t)
				b.elsewhere = true
				b.pane.Put(tt.written)
				b.pane.Quote("two processes")
				e, c := b.pane.Compose.Entry, b.pane.Chats.Shown()
				if e.Text != tt.want || c.Draft() != tt.want || e.CursorRow != strings.Count(tt.want, "\n") {
					t.Errorf("the message is %q, with the cursor in line %d", e.Text, e.CursorRow)
				}
				if c.Begun() == tt.fresh || b.elsewhere || b.Win.Canvas().Focused() != fyne.Focusable(e) || len(b.turns.requests) > 0 {
					t.Errorf("%s is shown: %v; sent are %d", c.Name, !b.elsewhere, len(b.turns.requests))
				}
			})
		})
	}
}

func TestNothingOfAPrivateChatLeavesMemory(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.tap("Private chat: nothing is saved")
		c := b.pane.Chats.Shown()
		if !c.Private() || !b.store.IsPrivate(c.Name) {
			t.Fatal("the chat isn't private")
		}
		b.Sees("A private chat", "Private: nothing is saved.", "private")
		b.tap("private")
		b.says("This chat is private", "Press New chat to start one that is saved.")
		b.pane.NewPrivateChat()
		if b.pane.Chats.Shown() != c {
			t.Error("an empty one is left for another")
		}
		picture := filepath.Join(t.TempDir(), "shot.png")
		writeTo(t, picture, pictureBytes(t, 4, 4))
		b.drop(picture)
		b.enter("look at this")
		b.pane.Files.Actions(c.Name).Open(c.FilesSent()[0].Attachment())
		b.says("shot.png is in memory only", "no other program can open it")
		b.pane.Compose.Entry.SetText("a secret thought")
		b.pane.Chats.Drafts.Write()
		b.finish(0, "u1")
		left, err := filepath.Glob(filepath.Join(b.home, "session", "*"))
		for _, path := range left {
			if data, _ := os.ReadFile(path); strings.Contains(string(data), "secret") || strings.Contains(string(data), "look at") {
				t.Errorf("%s holds %q, %v", path, data, err)
			}
		}
		b.pane.NewChat()
		if b.pane.Chats.Shown().Private() {
			t.Error("a new chat is private")
		}
	})
}

func TestMenusChooseAgentAndModel(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := slashBench(t)
		b.server.models = []ollama.ModelInfo{{Name: "gemma3:4b", Capabilities: []string{"completion"}}}
		b.setup.Check()
		b.Settle()
		test.Tap(b.pane.Head.Agent)
		b.Settle()
		b.Sees("coder  ·  Writes code", "line 4")
		b.press(fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
		test.Tap(b.pane.Head.Model)
		b.Settle()
		b.press(fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn) // the first is automatic
		if s := b.pane.Chats.Shown().Chosen(); s.Agent != "coder" || s.Model != "gemma3:4b" {
			t.Errorf("chosen is %+v", s)
		}
		b.Sees("coder", "gemma3:4b")
		b.enter("q")
		if s := b.turns.requests[0].Settings; s == nil || s.Agent != "coder" || s.Model != "gemma3:4b" {
			t.Errorf("sent with %+v", s)
		}
	})
}

func TestAttachOffersAFileOrAFolder(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		writeTo(t, filepath.Join(b.home, "a.txt"), []byte("apples"))
		test.Tap(b.pane.Compose.Attach)
		b.press(fyne.KeyDown, fyne.KeyReturn)
		b.leads("choose: Attach a text file, a PDF or an image")
		test.Tap(b.pane.Compose.Attach)
		b.press(fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
		b.leads("choose: Attach the text files of a folder")
		if names := chipNames(b); len(names) != 1 || !strings.HasPrefix(names[0], filepath.Base(b.home)) {
			t.Errorf("attached are %q", names)
		}
	})
}

func TestFilesThatAreTooManyAreNamed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.elsewhere = true
		dir := t.TempDir()
		var paths []string
		for i := range attach.Max + 1 {
			paths = append(paths, filepath.Join(dir, fmt.Sprintf("%02d.txt", i)))
			writeTo(t, paths[i], fmt.Append(nil, "text ", i))
		}
		b.drop()
		if b.elsewhere = true; len(chipNames(b)) != 0 {
			t.Fatal("nothing was dropped, and something is attached")
		}
		b.drop(paths...)
		if got := len(chipNames(b)); got != attach.Max || b.elsewhere {
			t.Errorf("%d files are attached, want %d; the chat is shown: %v", got, attach.Max, !b.elsewhere)
		}
		if want := fmt.Sprintf("%02d.txt is one too many: a message can have %d files.", attach.Max, attach.Max); b.pane.Compose.Note.Flat != want {
			t.Errorf("the composer says %q, want %q", b.pane.Compose.Note.Flat, want)
		}
	})
}

// Files are read in the background: those of a chat that was left meanwhile wait there.
func TestFilesReadWhileAnotherChatIsShownWaitInTheirs(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		first := b.pane.Chats.Shown()
		path := filepath.Join(t.TempDir(), "a.txt")
		writeTo(t, path, []byte("apples"))
		b.pane.Files.Attach([]string{path})
		b.pane.NewChat()
		b.Settle()
		if names := chipNames(b); len(names) != 0 || len(first.Attached()) != 1 {
			t.Errorf("shown are %q, the first chat has %d", names, len(first.Attached()))
		}
	})
}

func TestAFileOfAChatIsOpenedOrMissed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		u, err := attach.New(t.Context(), "shot.png", pictureBytes(t, 40, 40))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.store.Attach(t.Context(), "cpu-x", u); err != nil {
			t.Fatal(err)
		}
		b.saved("cpu-x", transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: transcript.WithLinks("look", u.Attachment())})
		b.opened("cpu-x")
		act := b.pane.Files.Actions("cpu-x")
		act.Open(u.Attachment())
		b.Settle()
		b.leads("file " + b.store.AttachmentPath("cpu-x", u.Attachment()))
		gone := transcript.Attachment{Name: "gone.png", File: strings.Repeat("2", 64) + ".png", Image: true}
		for _, do := range []func(transcript.Attachment){act.Open, act.ShowLarge} {
			b.told = nil
			do(gone)
			b.Settle()
			b.says("gone.png")
		}
		inline := transcript.Attachment{Name: "a chart", File: "data:image/png;base64,UE5H", Image: true}
		act.Open(inline)
		b.says("a chart has no file of its own")
		act.ShowLarge(inline) // of bytes that are no picture
		b.Settle()
		b.says("unknown format")
		if len(b.ways) != 1 {
			t.Errorf("opened are %q", b.ways)
		}
	})
}

func TestEveryScriptWithoutAFontIsNamed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.with(func() { b.fonts = func(rune) bool { return false } })
		for text, want := range map[string]string{
			"漢字": "Chinese", "한국어": "Korean", "ひらがな": "Japanese", "ไทย": "Thai", "العربية": "Arabic", "שלום": "Hebrew",
			"हिन्दी": "Devanagari", "বাংলা": "Bengali", "தமிழ்": "Tamil", "తెలుగు": "Telugu", "ქართული": "Georgian", "Հայերեն": "Armenian", "አማርኛ": "Ethiopic",
		} {
			b.told = nil
			name := "cpu-" + strings.ToLower(want)
			b.said(name, text)
			b.opened(name)
			b.says("No installed font shows "+want+" characters", "such as Noto Sans ")
		}
		b.told = nil
		b.pane.Send("漢字 한국어")
		if b.Settle(); len(b.told) != 0 {
			t.Errorf("it says %q again", b.told)
		}
	})
}

// While an answer arrives, an action that would start another turn does nothing, or says why.
func TestAnAnswerUnderWayIsNotDisturbed(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		act := b.pane.View.Act
		b.enter("one more")
		act.EditMessage("u1", "a better question")
		b.says("This message can be sent when the answer is done", "Esc")
		f := conversation.Fault{UserID: "u1", Text: "question one"}
		for _, do := range []func(){
			func() { act.Retry(f) }, func() { act.SendWithoutImages(f) }, func() { act.UseModel("gemma3:4b", f) }, func() { act.EditInComposer(f) }, act.GoOn,
		} {
			do()
			b.Settle()
		}
		if len(b.turns.requests) != 1 || b.pane.Chats.Shown().Chosen().Model != "" || b.pane.Compose.Entry.Text != "" {
			t.Errorf("sent are %d, chosen is %+v, written %q", len(b.turns.requests), b.pane.Chats.Shown().Chosen(), b.pane.Compose.Entry.Text)
		}
	})
}

func TestRecalledNotesLeadToTheirPlaces(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		open := func(notes ...agents.RecalledNote) {
			b.pane.View.Act.OpenRecalled(notes, b.pane.Compose.Entry)
			b.Settle()
		}
		first := agents.RecalledNote{Session: "cpu-old", Block: "b1", Time: time.Date(2025, 3, 1, 12, 0, 0, 0, time.Local), Text: "The **zephyr**\nlistens"}
		open(first, first)
		b.leads("session cpu-old b1")
		open(first, agents.RecalledNote{Session: "cpu-other", Block: "b2"}, first)
		b.Sees("title of cpu-old · 1 Mar 2025  ·  The zephyr listens", "title of cpu-other")
		b.press(fyne.KeyDown, fyne.KeyDown, fyne.KeyReturn)
		b.leads("session cpu-other b2")
	})
}

func TestWhatAnAnswerWasMadeWithIsOpened(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := talked(t)
		act := b.pane.View.Act
		act.OpenMemory("memory.md")
		b.leads("file " + filepath.Join(b.home, "agents", "memory.md"))
		act.OpenMemory("../config.toml") // of a transcript that someone made up
		act.OpenMemory("/etc/passwd")
		if len(b.ways) != 1 {
			t.Errorf("opened are %q", b.ways)
		}
		act.OpenInbox()
		b.leads("file " + b.memory.InboxPath())
		act.OpenFolder()
		b.leads("file " + b.home)
		act.ForgetMessage("u1")
		b.leads("forget cpu-x u1")
		b.tap("Open file")
		b.leads("transcript cpu-x " + b.onDisk("cpu-x").Info.Path)
		test.Tap(b.button("Links", 0))
		b.press(fyne.KeyDown, fyne.KeyReturn)
		b.leads("link http://example.org/p")
		test.Tap(b.button("More…", 0))
		b.press(fyne.KeyDown, fyne.KeyReturn)
		b.leads("remember question one")
	})
}

func TestATranscriptThatCantBeReadIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.said("cpu-x", "q", "a")
		path := b.onDisk("cpu-x").Info.Path
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
		b.shown().opened("cpu-x")
		b.Sees("This conversation can", "be read", "The file is left as it is.")
		b.SeesNot("What shall we look at?")
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			t.Errorf("what stands in its place is gone: %v", err)
		}
	})
}

func TestAnEmptyChatSuggestsQuestions(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.Sees("What shall we look at?")
		b.tap("How much disk space is left?")
		if got := b.turns.requests[0].Text; got != "How much disk space is left?" {
			t.Errorf("sent is %q", got)
		}
		b.SeesNot("What shall we look at?")
	})
}

// In a low window the cards don't fit, and what they say begins with their heading.
func TestAnEmptyChatStandsAtItsHeading(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		port := b.pane.View.Port
		for _, height := range []float32{400, 60, 90} {
			port.Resize(fyne.NewSize(500, height))
			if port.Offset != 0 || port.Away {
				t.Errorf("%g high, it is scrolled by %g of %g; the end is offered: %v", height, port.Offset, port.MaxOffset(), port.Away)
			}
		}
		b.pane.NewChat()
		if port.Offset != 0 {
			t.Errorf("another empty chat is scrolled by %g", port.Offset)
		}
		b.pane.Send("a question")
		if port.Offset != port.MaxOffset() || port.MaxOffset() == 0 {
			t.Errorf("with a message it is at %g of %g", port.Offset, port.MaxOffset())
		}
	})
}

func TestWhatIsMissingIsShownBelowAMessageWithoutAnAnswer(t *testing.T) {
	for name, tt := range map[string]struct {
		texts []string
		help  bool
	}{
		"no message":              {nil, true},
		"a message alone":         {[]string{"q"}, true},
		"a message and an answer": {[]string{"q", "a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				b.server.down, b.server.models = errors.New("refused"), nil
				b.said("cpu-x", tt.texts...)
				b.shown().opened("cpu-x")
				if tt.help {
					b.Sees("Re-check")
				} else {
					b.SeesNot("Re-check")
				}
			})
		})
	}
}

func TestAFailedDownloadIsReportedOnceInItsChat(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.server.models = nil
		b.shown()
		b.setup.Puller.Start("qwen3:8b")
		b.Settle()
		b.Sees("Try again")
		b.pane.Send("q")
		b.pane.NewChat()
		b.Settle()
		b.SeesNot("Try again")
	})
}

func TestForgottenTextLeavesTheComposer(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		zebra := func(text string) bool { return strings.Contains(text, "zebra") }
		b.pane.Put("about the horse")
		if b.pane.DropForgotten(zebra); b.pane.Compose.Entry.Text != "about the horse" {
			t.Error("what holds none of it is gone")
		}
		b.pane.Put("about the zebra")
		if b.pane.DropForgotten(zebra); b.pane.Compose.Entry.Text != "" || b.pane.Chats.Shown().Draft() != "" {
			t.Errorf("the composer holds %q, the draft is %q", b.pane.Compose.Entry.Text, b.pane.Chats.Shown().Draft())
		}
	})
}

func TestAnAnswerThatWasCutShortGoesOn(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		b.pane.Send("tell me all")
		b.run(0).Sent <- agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1", Agent: "o", Model: "m"}
		b.run(0).Sent <- token("The first half")
		b.Settle()
		b.pane.Stop()
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: "cancelled", Block: "a1"}
		close(b.run(0).Sent)
		b.Settle()
		b.tap("Continue")
		if r := b.turns.requests[1]; r.Text != "Continue where you stopped." || r.Agent != "" {
			t.Errorf("the request is %+v", r)
		}
	})
}

// A picture that the model can't see, without a word beside it, can only go back into the
// composer.
func TestAPictureAloneThatWasRefusedIsEdited(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t).shown()
		picture := filepath.Join(t.TempDir(), "shot.png")
		writeTo(t, picture, pictureBytes(t, 4, 4))
		b.drop(picture)
		b.pane.Compose.Submit()
		b.run(0).Sent <- agents.Event{Type: agents.EventError, Kind: "no_vision", Text: "The model can't see images."}
		close(b.run(0).Sent)
		b.Settle()
		b.pane.View.Act.SendWithoutImages(lastFault(b.pane.Chats.Shown()))
		b.Settle()
		if len(b.turns.requests) != 1 || !b.pane.Chats.Shown().Empty() || b.Win.Canvas().Focused() != fyne.Focusable(b.pane.Compose.Entry) {
			t.Errorf("sent are %d; the chat is empty: %v", len(b.turns.requests), b.pane.Chats.Shown().Empty())
		}
	})
}
