package conversation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

// fileOfText returns a file that was read and checked.
func fileOfText(t *testing.T, name, text string) File {
	t.Helper()
	u, err := attach.New(t.Context(), name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return File{Upload: u}
}

func TestQueuedMessagesFollowAnAnswerThatEndedWell(t *testing.T) {
	for name, tt := range map[string]struct {
		last agents.Event
		do   func(c *Conversation) // before the answer ends
		next string                // "" for none
		held bool
		left []string
	}{
		"well":                      {agents.Event{Type: agents.EventDone, Block: "a1"}, nil, "one", false, []string{"two"}},
		"stopped":                   {agents.Event{Type: agents.EventError, Kind: fault.KindCancelled}, nil, "", true, []string{"one", "two"}},
		"failed":                    {agents.Event{Type: agents.EventError, Kind: fault.KindDown}, nil, "", true, []string{"one", "two"}},
		"stopped for a message":     {agents.Event{Type: agents.EventError, Kind: fault.KindCancelled}, func(c *Conversation) { c.ToFront(2) }, "two", false, []string{"one"}},
		"for one that is gone":      {agents.Event{Type: agents.EventError, Kind: fault.KindCancelled}, func(c *Conversation) { c.ToFront(7) }, "", true, []string{"one", "two"}},
		"one was deleted":           {agents.Event{Type: agents.EventDone, Block: "a1"}, func(c *Conversation) { c.Unqueue(1) }, "two", false, nil},
		"one was deleted twice":     {agents.Event{Type: agents.EventDone, Block: "a1"}, func(c *Conversation) { c.Unqueue(1); c.Unqueue(1) }, "two", false, nil},
		"forgotten while it waited": {agents.Event{Type: agents.EventDone, Block: "a1"}, func(c *Conversation) { c.DropUnsent(func(s string) bool { return s == "one" }) }, "two", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := asked("q")
			c.Enqueue("one", nil)
			c.Enqueue("two", nil)
			if _, ok := c.NextQueued(); ok {
				t.Fatal("one is sent during the answer")
			}
			if tt.do != nil {
				tt.do(c)
			}
			c.Apply(tt.last)
			q, ok := c.NextQueued()
			if q.Text != tt.next || ok != (tt.next != "") {
				t.Errorf("next is %q", q.Text)
			}
			if held := c.View(time.Now()).Held; held != tt.held {
				t.Errorf("the others wait for the user: %v", held)
			}
			if diff := cmp.Diff(tt.left, c.Unsent().Queue); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnsentTextSurvivesARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session", "drafts.json")
	c := asked("q")
	c.KeepDraft("half a thought")
	c.Enqueue("next", nil)
	drafts := map[string]SavedDraft{"cpu-1": c.Unsent()}
	if err := WriteDrafts(path, drafts); err == nil || !strings.Contains(err.Error(), "write drafts") {
		t.Errorf("where there is no folder, it is written: %v", err)
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteDrafts(path, drafts); err != nil {
		t.Fatal(err)
	}
	again := New("cpu-1")
	again.KeepDraft("newer")
	again.RestoreDraft(ReadDrafts(path, func(string, time.Time) bool { return false })["cpu-1"])
	if v := again.View(time.Now()); again.Draft() != "newer" || !v.Held || len(v.Queue) != 1 || v.Queue[0].Text != "next" {
		t.Errorf("the draft is %q, the queue %+v, held %v", again.Draft(), v.Queue, v.Held)
	}
	for range 2 { // the second time there is no file
		if err := WriteDrafts(path, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("without a draft there is a file: %v", err)
		}
	}
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteDrafts(path, nil); err == nil {
		t.Error("a folder in its place is removed")
	}
	if err := WriteDrafts(path, drafts); err == nil {
		t.Error("a folder in its place is written")
	}
}

func TestForgottenTextIsDroppedFromWhatIsUnsent(t *testing.T) {
	zebra := func(text string) bool { return strings.Contains(text, "zebra") }
	c := New("cpu-1")
	c.KeepDraft("a horse")
	c.Enqueue("zebras", nil)
	if c.DropUnsent(zebra) || c.Draft() != "a horse" || len(c.Unsent().Queue) != 0 {
		t.Errorf("left are %+v", c.Unsent())
	}
	c.KeepDraft("a zebra")
	if !c.DropUnsent(zebra) || c.Draft() != "" {
		t.Errorf("the draft is %q", c.Draft())
	}
	for _, tt := range []struct {
		kept, want SavedDraft
		changed    bool
	}{
		{SavedDraft{Draft: "a zebra", Queue: []string{"fine", "zebras"}}, SavedDraft{Queue: []string{"fine"}}, true},
		{SavedDraft{Draft: "a horse", Queue: []string{"fine"}}, SavedDraft{Draft: "a horse", Queue: []string{"fine"}}, false},
		{SavedDraft{Draft: "a horse", Queue: []string{"zebras"}}, SavedDraft{Draft: "a horse"}, true},
	} {
		got, changed := tt.kept.Without(zebra)
		if diff := cmp.Diff(tt.want, got); diff != "" || changed != tt.changed {
			t.Errorf("changed %v: %s", changed, diff)
		}
	}
}

// A message takes its files along. Until it is on disk they can be sent again.
func TestFilesGoWithTheirMessage(t *testing.T) {
	c := New("cpu-1")
	notes := fileOfText(t, "notes.txt", "apples")
	stored := transcript.Attachment{Name: "shot.png", File: strings.Repeat("1", 64) + ".png", Image: true}
	c.KeepDraft("look")
	c.Attach([]File{notes, {Stored: &stored}})
	if c.Idle() || len(c.Attached()) != 2 {
		t.Fatalf("attached are %d", len(c.Attached()))
	}
	if data, ok := c.UnsentFile(notes.Attachment().File); !ok || string(data) != "apples" {
		t.Errorf("%q, %v", data, ok)
	}
	if _, ok := c.UnsentFile(stored.File); ok {
		t.Error("a file on disk is said not to be there")
	}
	files := c.TakeMessage()
	c.SendFiles(files)
	c.Begin("", time.Now(), Attachments(files)...)
	if c.Title() != "notes.txt, shot.png" || c.Draft() != "" || len(c.Attached()) != 0 {
		t.Errorf("%q begins, and %q with %d files is left", c.Title(), c.Draft(), len(c.Attached()))
	}
	req := agents.Request{Text: "look"}
	AddTo(&req, files)
	if len(req.Files) != 1 || req.Files[0].Name != "notes.txt" || !strings.Contains(req.Text, stored.File) {
		t.Errorf("the request is %+v", req)
	}
	if c.DropSentFiles(); len(c.FilesSent()) != 2 {
		t.Error("files are dropped before their message is on disk")
	}
	c.Apply(agents.Event{Type: agents.EventState, State: agents.StateReading, Block: "u1"})
	if c.DropSentFiles(); len(c.FilesSent()) != 0 {
		t.Error("files of a message on disk stay in memory")
	}
}

func TestAFileIsLabelledWithItsSize(t *testing.T) {
	stored := transcript.Attachment{Name: "shot.png"}
	pdf := fileOfText(t, "a.txt", strings.Repeat("x", 5000))
	pdf.Upload.Pages = 3
	part := fileOfText(t, "b.txt", strings.Repeat("x", 5000))
	part.Upload.Pages, part.Upload.PagesRead = 300, 18
	folder := File{Upload: attach.File{Name: "notes.txt", Data: make([]byte, 3<<19)}}
	folder.Upload.Files = 12
	for want, f := range map[string]File{
		"notes.txt · 6 bytes": fileOfText(t, "notes.txt", "apples"), "a.txt · 3 pages · 5 KB": pdf,
		"b.txt · the first 18 of 300 pages · 5 KB": part,
		"notes.txt · 12 files · 1.5 MB":            folder, "shot.png": {Stored: &stored},
	} {
		if got := f.Label(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAChoiceIsSentUntilATranscriptHoldsIt(t *testing.T) {
	first, second := transcript.Settings{Model: "qwen3:8b"}, transcript.Settings{Model: "gemma3:4b"}
	sent := func(c *Conversation, retry string) string {
		req := agents.Request{Retry: retry}
		if c.AddChoice(&req); req.Settings == nil {
			return "nothing"
		}
		return req.Settings.Model
	}
	note := first.Note()
	note.ID = "n1"
	file := fileOf(transcript.Block{ID: "u1", Kind: transcript.KindUser, Text: "q"}, note)
	c := New("cpu-1")
	c.Fill(file)
	if got := sent(c, ""); got != "nothing" || c.Chosen().Model != "qwen3:8b" {
		t.Errorf("what the file holds, %+v, is sent: %s", c.Chosen(), got)
	}
	if got := sent(c, "u1"); got != "qwen3:8b" {
		t.Errorf("a retry is sent with %s", got)
	}
	c.Choose(second)
	c.ChoiceWritten(first) // of a choice before it
	c.Fill(file)
	if got := sent(c, ""); got != "gemma3:4b" || c.Chosen().Model != "gemma3:4b" || c.Idle() {
		t.Errorf("the newer choice is %+v, sent is %s", c.Chosen(), got)
	}
	if c.ChoiceWritten(second); sent(c, "") != "nothing" {
		t.Error("what is written is sent again")
	}
}
