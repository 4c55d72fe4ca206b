package agents

import (
	"context"
	"strings"
	"testing"

	"mac-stats/agents/testkit"
	"mac-stats/sessionmem/transcript"
)

const longQuestion = "I have been wondering for a while now why the fan of this machine gets loud in the evening, every evening"

// namingRig returns a rig that names sessions in the background; loaded applies to every
// model.
func namingRig(t *testing.T, loaded bool, texts ...string) (*rig, chan string) {
	t.Helper()
	r := newRig(t, ollamaScript(texts...))
	r.settings.AutoTitle = true
	named := make(chan string, 1)
	r.params.Background = true
	r.params.Loaded = func(context.Context, string) bool { return loaded }
	r.params.Named = func(session string) { named <- session }
	r.open()
	return r, named
}

func (r *rig) title() string {
	r.t.Helper()
	tr, err := r.store.Load(r.t.Context(), testSession)
	if err != nil {
		r.t.Fatal(err)
	}
	return tr.Info.Title
}

func TestALongFirstMessageIsNamedByTheSmallModelOnce(t *testing.T) {
	r, named := namingRig(t, true, "It is the browser.", `{"title": "Loud fan in the evening."}`, "A2")
	r.say(longQuestion)
	if got := <-named; got != testSession {
		t.Errorf("named %s", got)
	}
	if got := r.title(); got != "Loud fan in the evening" {
		t.Errorf("the title is %q", got)
	}
	r.say("And now?")
	if err := r.engine.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(r.server.Chats()); n != 3 {
		t.Errorf("%d requests, want two answers and a title", n)
	}
}

func TestTheFirstWordsStayTheTitleIfNamingIsCostlyOrOff(t *testing.T) {
	for name, prepare := range map[string]func(r *rig) (text string){
		"a short message":  func(*rig) string { return "Why is my fan loud?" },
		"switched off":     func(r *rig) string { r.settings.AutoTitle = false; return longQuestion },
		"a person's title": func(r *rig) string { return longQuestion },
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := namingRig(t, true, "A1", `{"title": "A title of the model"}`)
			text := prepare(r)
			if name == "a person's title" {
				if _, err := r.store.Session(testSession).Append(t.Context(), transcript.Block{Kind: transcript.KindNote, Note: transcript.NoteTitle, Text: "Mine"}); err != nil {
					t.Fatal(err)
				}
			}
			r.say(text)
			r.settled()
			if n := len(r.server.Chats()); n != 1 || strings.Contains(r.title(), "model") {
				t.Errorf("%d requests, title %q", n, r.title())
			}
		})
	}
	t.Run("the model is tiny", func(t *testing.T) {
		r := newRig(t, testkit.Script{Models: []testkit.Model{sized("small", "135M")}, Rules: replies("A1", "I'd like to suggest")})
		r.settings.AutoTitle, r.params.Background = true, true
		r.params.Loaded = func(context.Context, string) bool { return true }
		r.open()
		r.say(longQuestion)
		r.settled()
		if n := len(r.server.Chats()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("the model is not loaded", func(t *testing.T) {
		r, _ := namingRig(t, false, "A1", `{"title": "A title of the model"}`)
		r.say(longQuestion)
		r.settled()
		if n := len(r.server.Chats()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestSessionSettingsPersist(t *testing.T) {
	r := newRig(t, testkit.Script{Models: []testkit.Model{textModel(testModel, 16384), textModel("other:1b", 16384)}, Rules: replies("A1", "A2", "A3", "A4")})
	warm := 0.25
	chosen := transcript.Settings{Model: "other:1b", Agent: "coder", Temperature: &warm, Prompt: "Answer in German."}
	if _, _, err := r.turn(Request{Text: "Q1", Settings: &chosen}); err != nil {
		t.Fatal(err)
	}
	r.open() // a restart
	second, _ := r.say("Q2")
	for i := range 2 {
		req := r.chat(i)
		if req.Model != "other:1b" || req.Options["temperature"] != 0.25 || !strings.HasSuffix(req.Messages[0].Content, "# For this conversation (from the user)\nAnswer in German.") {
			t.Errorf("request %d: %s %v …%q", i, req.Model, req.Options, req.Messages[0].Content[max(0, len(req.Messages[0].Content)-80):])
		}
	}
	if second.Agent != "coder" {
		t.Errorf("answered by %s", second.Agent)
	}
	sameMessages(t, r.chat(0).Messages, r.chat(1).Messages)
	if got := r.kinds(); got[0] != "note:settings" || got[1] != "user" {
		t.Errorf("the transcript begins with %v", got)
	}
	if third, _, err := r.turn(Request{Text: "Q3", Model: testModel}); err != nil || third.Model != testModel {
		t.Errorf("what is asked for goes first: %s, %v", third.Model, err)
	}
	if err := r.store.SetSettings(t.Context(), testSession, transcript.Settings{}); err != nil {
		t.Fatal(err)
	}
	if fourth, _ := r.say("Q4"); fourth.Agent != "orchestrator" || strings.Contains(r.chat(3).Messages[0].Content, "German") {
		t.Errorf("by default again: %s", fourth.Agent)
	}
}
