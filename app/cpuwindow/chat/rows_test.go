package chat

import (
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"mac-stats/agents"
	"mac-stats/agents/fault"
	"mac-stats/agents/registry"
	"mac-stats/agents/tools"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/transcript"
)

func TestAFailedTurnOffersWhatHelps(t *testing.T) {
	for name, tt := range map[string]struct {
		fault conversation.Fault
		does  map[string]string // by button
		not   []string          // other buttons
	}{
		"a missing model":           {conversation.Fault{Kind: fault.KindModelMissing, Model: "qwen3:8b", UserID: "u1", Next: "Pull it."}, map[string]string{"Pull qwen3:8b": "pull qwen3:8b", "Retry": "retry u1"}, []string{"Re-check"}},
		"a server that is slow":     {conversation.Fault{Kind: fault.KindTimeout, UserID: "u1"}, map[string]string{"Re-check": "re-check", "Retry": "retry u1"}, []string{"Open data folder"}},
		"a full disk":               {conversation.Fault{Kind: fault.KindDisk, Text: "q"}, map[string]string{"Open data folder": "folder", "Send again": "retry  q"}, []string{"Retry"}},
		"a blind model":             {conversation.Fault{Kind: fault.KindNoVision, Offer: "gemma3:4b", Text: "look"}, map[string]string{"Use gemma3:4b": "use gemma3:4b", "Send without the image": "without images", "Send again": "retry  look"}, nil},
		"a blind model alone":       {conversation.Fault{Kind: fault.KindNoVision, Text: "look"}, map[string]string{"Send without the image": "without images"}, []string{"Use "}},
		"a picture that is on disk": {conversation.Fault{Kind: fault.KindNoVision, UserID: "u1"}, map[string]string{"Retry": "retry u1"}, []string{"Send without the image"}},
		"a long message":            {conversation.Fault{Kind: fault.KindTooLong, Text: "long"}, map[string]string{"Edit message": "compose long"}, nil},
		"little memory":             {conversation.Fault{Kind: fault.KindNoMemory, UserID: "u1"}, map[string]string{"Choose another model…": "again with u1"}, nil},
		"an agent that is off":      {conversation.Fault{Kind: fault.KindAgent, UserID: "u1", Off: &registry.Agent{Name: "Coder"}}, map[string]string{"Turn on Coder": "turn on Coder", "Retry": "retry u1"}, []string{"Continue"}},
		"tried again":               {conversation.Fault{Kind: fault.KindServer, UserID: "u1", RetriedAt: "tried again at 12:20:00"}, map[string]string{"Retry": "retry u1"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				tt.fault.Sentence = "It went wrong."
				b.entry(func(e *conversation.EntryView) { e.Kind, e.Fault = conversation.Error, &tt.fault })
				b.Sees("It went wrong.", tt.fault.Next, tt.fault.RetriedAt)
				for button, want := range tt.does {
					b.taps(button, 0)
					b.leads(strings.TrimSpace(want))
				}
				b.SeesNot(tt.not...)
			})
		})
	}
}

// An answer that a cut connection left incomplete can be continued, or asked for again.
func TestACutConnectionOffersToContinue(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.entry(func(e *conversation.EntryView) {
			e.Kind, e.GoOn, e.Fault = conversation.Error, true, &conversation.Fault{Kind: fault.KindStreamCut, UserID: "u1", Sentence: "It broke off."}
		})
		b.taps("Continue", 0)
		b.leads("go on")
		b.taps("Retry", 0)
		b.leads("retry u1")
	})
}

func TestANoteOffersWhatCanBeDone(t *testing.T) {
	for name, tt := range map[string]struct {
		fill func(e *conversation.EntryView)
		does map[string]string // by button
		not  []string
	}{
		"nothing":    {func(e *conversation.EntryView) { e.Text = "new topic from here" }, nil, []string{"Undo", "Retry", "Continue"}},
		"unanswered": {func(e *conversation.EntryView) { e.Text, e.RetryID = "not answered yet", "u1" }, map[string]string{"Retry": "retry u1"}, nil},
		"cut short":  {func(e *conversation.EntryView) { e.Text, e.GoOn = "stopped", true }, map[string]string{"Continue": "go on"}, nil},
		"a memory":   {func(e *conversation.EntryView) { e.Text, e.UndoID = "remembered “tea”", "7" }, map[string]string{"Undo": "undo 7"}, nil},
		"a proposal": {func(e *conversation.EntryView) {
			e.Text, e.Proposal, e.Proposed = "proposed to remember “tea”", "p1", "tea"
		}, map[string]string{"Save": "decide p1 true", "Discard": "decide p1 false", "Open inbox": "inbox"}, nil},
		"a removal":    {func(e *conversation.EntryView) { e.Text, e.Proposal = "proposed to forget “tea”", "p1" }, nil, []string{">Edit<"}},
		"what is gone": {func(e *conversation.EntryView) { e.Text, e.Removed = "1 message is no longer in the file", true }, map[string]string{"Restore": "restore true", "Keep removed": "restore false"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				text := ""
				b.entry(func(e *conversation.EntryView) { e.Kind = conversation.Note; tt.fill(e); text = e.Text })
				b.Sees(text)
				for button, want := range tt.does {
					b.taps(button, 0)
					b.leads(want)
				}
				b.SeesNot(tt.not...)
			})
		})
	}
}

// A line is edited before it is remembered; Cancel leaves it as it was.
func TestALineToRememberIsEdited(t *testing.T) {
	for name, tt := range map[string]struct {
		fill         func(e *conversation.EntryView)
		button, want string
	}{
		"a proposal": {func(e *conversation.EntryView) { e.Proposal = "p1" }, "Edit", "save edited p1 green tea"},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				b.entry(func(e *conversation.EntryView) {
					e.Kind, e.Text, e.Proposed = conversation.Note, "“tea”", "tea"
					tt.fill(e)
				})
				b.taps(tt.button, 0)
				b.Sees("This is what will be remembered.")
				b.taps("Cancel", 0)
				b.SeesNot("This is what will be remembered.")
				b.taps(tt.button, 0)
				field := b.Win.Canvas().Focused().(*kit.Field)
				if field.Text != "tea" {
					t.Errorf("the field holds %q", field.Text)
				}
				field.SetText("green tea")
				b.taps("Save", 0)
				b.leads(tt.want)
			})
		})
	}
}

func TestAQuestionShowsWhatWouldHappen(t *testing.T) {
	all := []agents.Answer{agents.AnswerNever, agents.AnswerOnce, agents.AnswerChat, agents.AnswerAlways, agents.AnswerNo}
	for name, tt := range map[string]struct {
		q             agents.Question
		sees, seesNot []string
	}{
		"an address": {
			agents.Question{Tool: tools.FetchURL, What: "https://example.org/?d=tea", Where: "example.org", Effects: tools.Effects{Reads: "a public web page", Sends: "the address, to its host"}},
			[]string{"https://example.org/?d=tea", "Where: example.org", "Reads: a public web page", "Sends: the address, to its host"},
			[]string{"Writes:"},
		},
		"a command": {
			agents.Question{Tool: tools.RunCmd, Agent: "coder", What: "RUN_CMD git status", Covers: "git", Where: "/src · WITHOUT a sandbox, which this system doesn't have: it can do what you can do"},
			[]string{"RUN_CMD git status", "WITHOUT a sandbox", "RUN_CMD with git and any arguments, by the agent coder."},
			nil,
		},
		"a tool of another program": {
			agents.Question{Tool: "files.write", Agent: "coder", What: "files.write {\"path\":\"a\u202eb.md\",\"text\":\"x\"}\n\nThe tool's new description: Writes anything.", Where: "npx files"},
			[]string{"files.write {", `  "text": "x"`, "The tool", "new description: Writes anything.", "files.write with any arguments, by the agent coder."},
			nil,
		},
		"one argument on one line": {agents.Question{Tool: "files.list", What: `files.list {"path":"/src"}`}, []string{`files.list {"path":"/src"}`}, nil},
		"no JSON":                  {agents.Question{Tool: "files.list", What: `files.list {oops`}, []string{"files.list {oops"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			screentest.InBubble(t, func(t *testing.T) {
				b := newBench(t)
				tt.q.ID, tt.q.Answers = "call-1", all
				b.sends("do it")
				b.gets(agents.Event{Type: agents.EventQuestion, Question: &tt.q})
				b.Sees(tt.sees...)
				b.SeesNot(tt.seesNot...)
				for i, button := range []string{"Never allow", "Allow once", "Allow in this chat", "Always allow", "Don't allow"} {
					b.taps(button, 0)
					b.leads("answer call-1 " + string(all[i]))
				}
			})
		})
	}
}

func TestTheTextsOfQuestionsAreTranslated(t *testing.T) {
	for _, text := range Texts() {
		if strings.TrimSpace(text) == "" {
			t.Error("there is an empty one")
		}
	}
	if len(Texts()) < 20 {
		t.Errorf("there are only %d", len(Texts()))
	}
}

func TestFilesOfAMessageAreOpenedAndShown(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		shot := transcript.Attachment{Name: "shot.png", File: "1.png", Image: true}
		gone := transcript.Attachment{Name: "gone.png", File: "2.png", Image: true}
		notes := transcript.Attachment{Name: "notes.txt", File: "3.txt"}
		fill := func(e *conversation.EntryView) {
			e.Kind, e.Block, e.Files = conversation.User, "u1", []transcript.Attachment{shot, gone, notes}
		}
		b.entry(fill) // where files can't be opened
		b.taps("notes.txt", 0)
		var opened []string
		b.view.Act.Files = func(session string) FileActions {
			return FileActions{
				Thumb: func(a transcript.Attachment, done func(image.Image, error)) {
					if a == gone {
						done(nil, attach.ErrKept)
						return
					}
					done(image.NewGray(image.Rect(0, 0, 4, 2)), nil)
				},
				Open:      func(a transcript.Attachment) { opened = append(opened, session+" "+a.Name) },
				ShowLarge: func(a transcript.Attachment) { opened = append(opened, "large "+a.Name) },
			}
		}
		b.entry(func(e *conversation.EntryView) { fill(e); e.Rev = 1 })
		b.Sees("notes.txt", "gone.png is missing")
		b.taps("notes.txt", 0)
		for _, o := range test.LaidOutObjects(b.view.Object) {
			if x, ok := o.(*kit.Tappable); ok {
				test.Tap(x)
				break
			}
		}
		if strings.Join(opened, "|") != "one notes.txt|large shot.png" {
			t.Errorf("opened are %q", opened)
		}
		pictures := 0
		for _, o := range test.LaidOutObjects(b.view.Object) {
			if x, ok := o.(*canvas.Image); ok && x.Visible() && x.Image != nil {
				pictures++
			}
		}
		if pictures != 1 {
			t.Errorf("%d pictures are shown", pictures)
		}
	})
}

func TestThumbnailsAreKeptForAWhile(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		thumbs, data := NewThumbs(), pngOf(t, 40, 30)
		reads := 0
		load := func(file string, read func() ([]byte, error)) (img image.Image, err error) {
			done := make(chan bool, 1)
			thumbs.Load(func() ([]byte, error) { reads++; return read() }, transcript.Attachment{File: file}, func(i image.Image, e error) { img, err = i, e; done <- true })
			<-done
			return img, err
		}
		good := func() ([]byte, error) { return data, nil }
		for range 2 {
			if img, err := load("a", good); err != nil || img.Bounds().Dx() != 40 {
				t.Errorf("%v, %v", img, err)
			}
		}
		if reads != 1 {
			t.Errorf("a file was read %d times", reads)
		}
		if _, err := load("bad", func() ([]byte, error) { return nil, errors.New("gone") }); err == nil {
			t.Error("a file that is gone has a picture")
		}
		if _, err := load("bad", func() ([]byte, error) { return []byte("no picture"), nil }); err == nil {
			t.Error("a text has a picture")
		}
		for i := range thumbsKept {
			_, _ = load(strings.Repeat("x", i+1), good)
		}
		if _, ok := thumbs.Get("a"); ok {
			t.Errorf("more than %d are kept", thumbsKept)
		}
		upload, err := attach.New(t.Context(), "shot.png", data)
		if err != nil {
			t.Fatal(err)
		}
		thumbs.Remember(conversation.File{Upload: upload})
		time.Sleep(time.Second)
		if _, ok := thumbs.Get(upload.Attachment().File); !ok {
			t.Error("a picture that was just attached has no thumbnail")
		}
		thumbs.Forget()
		if _, ok := thumbs.Get("x"); ok {
			t.Error("it forgets nothing")
		}
		stored := upload.Attachment()
		thumbs.Remember(conversation.File{Stored: &stored}) // it is read when it is shown
		time.Sleep(time.Second)
		if _, ok := thumbs.Get(stored.File); ok {
			t.Error("a file on disk was read before anybody looks at it")
		}
	})
}

func TestADecodedPictureFitsTheScreen(t *testing.T) {
	img, err := DecodeLarge(pngOf(t, 5000, 10))
	if err != nil || img.Bounds().Dx() != largeSide || img.Bounds().Dy() != 8 {
		t.Errorf("%v, %v", img, err)
	}
	if img, err := DecodeLarge(pngOf(t, 30, 20)); err != nil || img.Bounds().Dx() != 30 {
		t.Errorf("a small one is %v, %v", img, err)
	}
}

func TestWhatWasInThePromptIsOpened(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		b.sends("q")
		b.gets(token("yes"), agents.Event{Type: agents.EventDone, Block: "a1", Text: "yes", Made: agents.Made{
			Read:     []agents.MemoryRead{{Name: "memory.md", Lines: 3}, {Name: "coder/memory.md", Lines: 40, Cut: 7}},
			Recalled: []agents.RecalledNote{{Session: "cpu-old", Block: "b1"}, {Session: "cpu-old", Block: "b2"}},
		}})
		for button, want := range map[string]string{
			"recalled: 2 notes": "recalled 2", "Used memory.md · 3 lines": "memory memory.md", "coder/memory.md · 40 lines, 7 characters left out": "memory coder/memory.md",
		} {
			b.taps(button, 0)
			b.leads(want)
		}
	})
}

func TestTheWidthOfARowDecidesItsHeight(t *testing.T) {
	screentest.New(t)
	row := newEditRow(strings.Repeat("some words of a message ", 12), "words", "Send", func(string) {}, func() {})
	if narrow, wide := row.Measure(200), row.Measure(900); narrow <= wide {
		t.Errorf("200 wide it is %g high, 900 wide %g", narrow, wide)
	}
	long := newEditRow(strings.Repeat("line\n", 1000), "words", "Send", func(string) {}, func() {})
	if h := long.Measure(400); h > 600 {
		t.Errorf("a long message is %g high", h)
	}
}
