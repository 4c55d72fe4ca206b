package library

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/adrg/xdg"
	"github.com/google/go-cmp/cmp"

	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/sessionstate"
	"mac-stats/sessionmem/transcript"
)

func TestMain(m *testing.M) { screentest.Main(m, "../../../assets") }

// rig is a window with the list alone, over a store of real transcripts.
type rig struct {
	*screentest.Screen
	lib     *Library
	store   *sessionmem.Store
	hidden  bool
	current string
	asking  map[string]bool
	asked   []string // what the window was asked for
	undo    func()   // of the last offer
	asks    bool     // a question waits in another session
	copied  string
	blocks  int // how many were said
	drawn   int // how often the list was
}

func (r *rig) note(format string, args ...any) {
	r.asked = append(r.asked, fmt.Sprintf(format, args...))
}

func (r *rig) Visible() bool             { return !r.hidden }
func (r *rig) Notify(words, more string) { r.note("notify %s|%s", words, more) }
func (r *rig) Copy(text string)          { r.copied = text }
func (r *rig) Offer(words, action string, do func()) {
	r.note("offer %s|%s", words, action)
	r.undo = do
}
func (r *rig) Current() string { return r.current }
func (r *rig) Asking() map[string]bool {
	asking := map[string]bool{}
	for name := range r.asking {
		asking[name] = true
	}
	return asking
}

func (r *rig) Listed(_ []transcript.Info, asks bool) {
	r.asks = asks
	r.drawn++
}

func (r *rig) Deleted(name string) bool {
	r.note("deleted %s", name)
	return name == r.current
}
func (r *rig) ShowList()                   { r.note("show the list") }
func (r *rig) LeaveList()                  { r.note("leave the list") }
func (r *rig) Type(c rune)                 { r.note("type %c", c) }
func (r *rig) OpenInfo(in transcript.Info) { r.note("open %s", in.Name) }
func (r *rig) ShowChatOf(name string)      { r.note("show %s", name) }
func (r *rig) OpenFile(path string)        { r.note("open the file %s", filepath.Base(path)) }

func (r *rig) RevealFile(path string)                          { r.note("reveal %s", filepath.Base(path)) }
func (r *rig) ForgetSession(in transcript.Info)                { r.note("forget %s", in.Name) }
func (r *rig) OpenTranscript(name, path string)                { r.note("open the transcript of %s", name) }
func (r *rig) ReadAt(in transcript.Info, block, phrase string) { r.note("read %s", in.Name) }

// listed returns a window with a store of two sessions, cpu-a being the newer one.
func listed(t *testing.T, change func(*Parts)) *rig {
	t.Helper()
	store, err := sessionmem.Open(sessionmem.Config{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{Screen: screentest.New(t), store: store}
	parts := Parts{Sessions: store, Marks: store.State(), Attachment: store.ReadAttachment, Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&parts)
	}
	r.lib = New(r, parts)
	r.Win = test.NewTempWindow(t, r.lib.List.Port)
	r.Win.Resize(fyne.NewSize(216, 400))
	r.said("cpu-a", time.Minute, "fan?", "hot")
	r.said("cpu-b", 2*time.Minute, "disk?", "full")
	r.lib.Reload()
	r.Settle()
	return r
}

// said appends messages to a session: a question, its answer, and so on.
func (r *rig) said(name string, age time.Duration, texts ...string) {
	r.T.Helper()
	for i, text := range texts {
		r.blocks++
		block := transcript.Block{ID: fmt.Sprintf("b%d", r.blocks), Kind: transcript.KindUser, Time: time.Now().Add(-age), Text: text}
		if i%2 == 1 {
			block.Kind, block.Agent = transcript.KindAssistant, "orchestrator"
		}
		if _, err := r.store.Append(r.Context(), name, block); err != nil {
			r.T.Fatal(err)
		}
	}
}

// info returns what is listed of a session.
func (r *rig) info(name string) transcript.Info {
	r.T.Helper()
	i := slices.IndexFunc(r.lib.Infos(), func(in transcript.Info) bool { return in.Name == name })
	if i < 0 {
		r.T.Fatalf("%s is not listed", name)
	}
	return r.lib.Infos()[i]
}

// chooses runs an item of the menu of a session.
func (r *rig) chooses(name, label string) {
	r.T.Helper()
	marks, err := r.store.State().Marks()
	if err != nil {
		r.T.Fatal(err)
	}
	for _, item := range r.lib.Menu(r.info(name), marks.Pinned(name)).Items {
		if item.Label == label && !item.Disabled {
			item.Action()
			r.Settle()
			return
		}
	}
	r.T.Fatalf("the menu has no %q", label)
}

// did fails the test unless the window was asked for this since the last call.
func (r *rig) did(want ...string) {
	r.T.Helper()
	if diff := cmp.Diff(want, r.asked); diff != "" {
		r.T.Errorf("asked for (-want +got):\n%s", diff)
	}
	r.asked = nil
}

// shows fails the test unless these lines are listed; a heading begins with #.
func (r *rig) shows(want ...string) {
	r.T.Helper()
	var got []string
	for _, l := range r.lib.List.Lines {
		if l.Heading != "" {
			got = append(got, "# "+l.Heading)
		} else {
			got = append(got, l.Title)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.T.Errorf("listed (-want +got):\n%s", diff)
	}
}

func TestSessionsAreListedAndFound(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		if in, ok := r.lib.Named("cpu-b"); !ok || in.Title != "disk?" {
			t.Errorf("%+v %t", in, ok)
		}
		if _, ok := r.lib.Named("cpu-x"); ok {
			t.Error("a session that isn't there is found")
		}
		for _, tt := range []struct {
			name string
			by   int
			want string
		}{{"cpu-a", 1, "cpu-b"}, {"cpu-b", 1, "cpu-a"}, {"cpu-a", -1, "cpu-b"}, {"cpu-new", 1, "cpu-a"}, {"cpu-new", -1, "cpu-b"}} {
			if got := r.lib.Neighbour(tt.name, tt.by); got != tt.want {
				t.Errorf("%d from %s: %s, want %s", tt.by, tt.name, got, tt.want)
			}
		}
		if got := New(r, r.lib.parts).Neighbour("cpu-a", 1); got != "" {
			t.Errorf("in an empty list: %s", got)
		}
		r.asking, r.current = map[string]bool{"cpu-b": true}, "cpu-b"
		r.lib.Draw()
		shown := r.asks
		r.current = "cpu-a"
		r.lib.Draw()
		r.Sees("a question waits for you")
		if shown || !r.asks {
			t.Errorf("a question waits elsewhere: %t in its own session, %t in another", shown, r.asks)
		}
	})
}

func TestASessionIsRenamedPinnedAndRead(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		r.chooses("cpu-b", "Pin")
		r.shows("# Pinned", "disk?", "# Today", "fan?")
		r.chooses("cpu-b", "Unpin")
		r.chooses("cpu-b", "Rename")
		r.did("show the list")
		r.Types("  Why is   my 🌀 full ")
		r.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		r.Settle()
		r.shows("# Today", "fan?", "Why is my 🌀 full")
		r.lib.rename("cpu-b", "  ")
		r.Settle()
		if tr, err := r.store.Load(r.Context(), "cpu-b"); err != nil || tr.Info.Title != "Why is my 🌀 full" {
			t.Errorf("%+v, %v", tr, err)
		}
		r.chooses("cpu-a", "Read as transcript")
		r.chooses("cpu-a", "Open in editor")
		r.chooses("cpu-a", "Show in folder")
		r.chooses("cpu-a", "Forget…")
		r.did("read cpu-a", "open the transcript of cpu-a", "reveal "+filepath.Base(r.info("cpu-a").Path), "forget cpu-a")
		r.lib.List.Port.OnRune('x')
		r.lib.List.Port.OnRune(' ') // opens the session
		r.Canvas().Focus(r.lib.List.Port)
		r.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
		r.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
		r.did("type x", "leave the list", "open cpu-b")
	})
}

// What a session offers depends on what it is.
func TestTheMenuOfWhatCannotBeChanged(t *testing.T) {
	off := func(in transcript.Info) (out []string) {
		l := New(&rig{}, Parts{})
		for _, item := range l.Menu(in, false).Items {
			if item.Disabled {
				out = append(out, item.Label)
			}
		}
		return out
	}
	screentest.New(t)
	for name, tt := range map[string]struct {
		in   transcript.Info
		want []string
	}{
		"a session":    {transcript.Info{Name: "cpu-a", Path: "/x"}, nil},
		"private":      {transcript.Info{Name: "cpu-a"}, []string{"Open in editor", "Show in folder"}},
		"a copy":       {transcript.Info{Name: "cpu-a", Path: "/x", Copy: true, ReadOnly: true}, []string{"Rename", "Delete"}},
		"not readable": {transcript.Info{Name: "cpu-a", Path: "/x", Err: errors.New("binary")}, []string{"Read as transcript", "Rename", "Fork into a new chat", "Export as Markdown", "Export as HTML", "Print or save as PDF…", "Copy as text", "Forget…"}},
	} {
		if diff := cmp.Diff(tt.want, off(tt.in)); diff != "" {
			t.Errorf("%s: can't be chosen (-want +got):\n%s", name, diff)
		}
	}
}

func TestADeletedSessionIsRestored(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		r.current = "cpu-a"
		r.chooses("cpu-a", "Delete")
		r.shows("# Today", "disk?")
		r.did("deleted cpu-a", "offer Deleted “fan?”|Undo")
		if r.lib.List.Cursor != r.lib.List.KeyOf("cpu-b") {
			t.Errorf("the cursor is on %q", r.lib.List.Cursor)
		}
		r.undo()
		r.Settle()
		r.shows("# Today", "fan?", "disk?")
		r.did("show cpu-a")
		r.chooses("cpu-b", "Delete") // not shown: nothing opens when it comes back
		r.undo()
		r.Settle()
		r.did("deleted cpu-b", "offer Deleted “disk?”|Undo")
		r.undo()
		r.Settle()
		if len(r.asked) != 1 || !strings.HasPrefix(r.asked[0], "notify Restoring failed: ") {
			t.Errorf("a second undo: %q", r.asked)
		}
	})
}

func TestASessionBeingAnsweredIsNotDeleted(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		lock, err := r.store.Session("cpu-a").LockTurn(r.Context(), "test", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer lock.Unlock()
		r.chooses("cpu-a", "Delete")
		r.did("notify Deleting isn't possible while an answer arrives|Stop the answer first, or wait for it.")
		r.shows("# Today", "fan?", "disk?")
	})
}

func TestForkAndCopy(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, func(p *Parts) {
			p.Elsewhere = func(context.Context, string, string) (*transcript.Transcript, error) {
				return &transcript.Transcript{Info: transcript.Info{Name: "cpu-far", Title: "far"}, Blocks: []transcript.Block{{ID: "f", Kind: transcript.KindUser, Text: "where is the ferry", Attrs: map[string]string{"author": "Ann"}}, {Kind: transcript.KindText, Text: "a note"}, {Kind: transcript.KindAssistant, Text: " "}, {Kind: transcript.KindAssistant, Text: "at the pier"}}}, nil
			}
		})
		r.chooses("cpu-a", "Fork into a new chat")
		if len(r.asked) != 2 || !strings.HasPrefix(r.asked[0], "show cpu-") || r.asked[0] == "show cpu-a" || r.asked[1] != "offer A new chat with everything up to here|" {
			t.Errorf("%q", r.asked)
		}
		fork := strings.TrimPrefix(r.asked[0], "show ")
		if tr, err := r.store.Load(r.Context(), fork); err != nil || tr.Info.Title != "fan? (fork)" || tr.Info.Messages != 2 {
			t.Errorf("%+v, %v", tr, err)
		}
		r.lib.Fork(r.info("cpu-a"), "b1") // up to the question
		r.Settle()
		if tr, err := r.store.Load(r.Context(), strings.TrimPrefix(r.asked[2], "show ")); err != nil || tr.Info.Messages != 1 {
			t.Errorf("%+v, %v", tr, err)
		}
		r.chooses("cpu-b", "Copy as text")
		if got := r.copied; !strings.HasPrefix(got, "disk?\n\nYou, ") || !strings.Contains(got, ":\ndisk?\n\norchestrator, ") || !strings.HasSuffix(got, ":\nfull\n") || r.asked[4] != "offer Copied as text|" {
			t.Errorf("copied %q, %q", got, r.asked)
		}
		r.lib.Copy(transcript.Info{Name: "cpu-far", Machine: "lap"})
		r.Settle()
		if want := "far\n\nAnn:\nwhere is the ferry\n\na note\n\nAssistant:\nat the pier\n"; r.copied != want {
			t.Errorf("copied %q, want %q", r.copied, want)
		}
		copied := r.info("cpu-a")
		copied.ReadOnly = true
		if tr, err := r.lib.Load(r.Context(), copied); err != nil || !tr.Info.ReadOnly || len(tr.Blocks) < 2 {
			t.Errorf("a copy: %+v, %v", tr, err)
		}
		copied.Path = filepath.Join(t.TempDir(), "gone.md")
		r.asked = nil
		r.lib.Fork(copied, "")
		r.lib.Copy(copied)
		r.Settle()
		if len(r.asked) != 2 || !strings.HasPrefix(r.asked[0]+r.asked[1], "notify ") {
			t.Errorf("a file that is gone: %q", r.asked)
		}
	})
}

func TestExports(t *testing.T) {
	dir := t.TempDir()
	before := xdg.UserDirs.Download
	t.Cleanup(func() { xdg.UserDirs.Download = before })
	xdg.UserDirs.Download = dir
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		for _, tt := range []struct{ item, file, text string }{
			{"Export as Markdown", "fan.md", "fan?"},
			{"Export as HTML", "fan.html", ">hot</p>"},
			{"Print or save as PDF…", "fan (2).html", "print()"},
		} {
			r.chooses("cpu-a", tt.item)
			made, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(dir, tt.file))
			if err != nil || !strings.Contains(string(data), tt.text) {
				t.Errorf("%s: %v in %q, no %q in %.300s", tt.item, err, made, tt.text, data)
			}
			want := []string{"offer Exported to " + filepath.Join(dir, tt.file) + "|Show"}
			if strings.HasPrefix(tt.item, "Print") {
				want = append(want, "open the file "+tt.file)
			}
			r.did(want...)
			r.undo()
			r.did("reveal " + tt.file)
		}
		if got := r.store.State().Exports("cpu-a"); !slices.Equal(got, []string{dir}) {
			t.Errorf("known as exported: %q", got)
		}
		r.lib.Export(transcript.Info{Name: "cpu-gone"})
		r.Settle()
		if len(r.asked) != 1 || !strings.HasPrefix(r.asked[0], "notify Exporting failed: ") {
			t.Errorf("a session that is gone: %q", r.asked)
		}
	})
}

// What another program wrote is new until the user looks at it.
func TestTheShownSessionIsRead(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		for _, name := range []string{"cpu-a", "cpu-b"} {
			if err := r.store.State().MarkRead(r.Context(), r.info(name)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		r.said("cpu-b", 0, "more")
		r.lib.Changed()
		r.Settle()
		r.Sees("1 new")
		r.current = "cpu-b"
		r.lib.Draw()
		r.Settle()
		r.SeesNot("1 new")
		r.current = ""
		r.lib.Draw()
		r.Settle()
		r.SeesNot("1 new")
	})
}

func TestSweepShowsWhatOthersDid(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		r := listed(t, nil)
		r.said("cpu-c", 0, "from elsewhere")
		r.hidden = true
		r.lib.Sweep()
		r.lib.Changed()
		r.Settle()
		r.SeesNot("from elsewhere") // nothing is drawn while hidden
		r.hidden = false
		r.lib.Sweep()
		r.Settle()
		r.Sees("from elsewhere")
		drawn := r.drawn
		r.lib.Sweep()
		r.Settle()
		if r.drawn != drawn {
			t.Error("the list is drawn without a change")
		}
		r.lib.listActions().Archive()
		if !r.lib.archive {
			t.Error("archived sessions aren't listed")
		}
	})
}

// unlisted are sessions that can't be listed.
type unlisted struct {
	Sessions
	err error
}

func (u *unlisted) List(ctx context.Context) ([]transcript.Info, error) {
	if u.err != nil {
		return nil, u.err
	}
	return u.Sessions.List(ctx)
}

// unmarked are marks that can't be read.
type unmarked struct{ *sessionstate.State }

func (unmarked) Marks() (sessionstate.Marks, error) {
	return sessionstate.Marks{}, errors.New("state.json: line 3")
}

func TestWhatCannotBeReadIsReported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		var folder *unlisted
		r := listed(t, func(p *Parts) {
			folder = &unlisted{Sessions: p.Sessions}
			p.Sessions, p.Marks = folder, unmarked{p.Marks.(*sessionstate.State)}
		})
		r.did("notify Couldn't read which conversations are pinned or read: state.json: line 3|")
		r.shows("# Today", "fan?", "disk?")
		folder.err = errors.New("no such folder")
		r.lib.Reload()
		r.lib.Reload() // one at a time, and once more after it
		r.Settle()
		again := "notify The conversations can't be listed|Is the session folder still there? no such folder"
		r.did(again, again)
		r.shows("# Today", "fan?", "disk?")
	})
}
