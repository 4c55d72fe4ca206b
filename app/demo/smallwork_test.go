package demo

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"mac-stats/agents/background"
	"mac-stats/agents/ollama"
	"mac-stats/assets"
	"mac-stats/sessionmem/transcript"
)

func said(kind transcript.Kind, text string) transcript.Block {
	return transcript.Block{Kind: kind, Text: text}
}

// This runs the app's own compactor against the demo's server, so that the server
// recognises the compactor's requests even after they change.
func TestALongDemoIsSummarisedByItsQuestions(t *testing.T) {
	server, err := Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	client, err := ollama.New(ollama.Params{Host: server.Host()})
	if err != nil {
		t.Fatal(err)
	}
	small := background.NewSmallModel(client, ollama.NewCatalog(client, 0), assets.FS, func() background.Settings { return background.Settings{} })
	talk := []transcript.Block{
		said(transcript.KindUser, "Why is my\nmachine slow?"), said(transcript.KindAssistant, "I asked the doctor.\n\n- CPU: 40 %"),
		said(transcript.KindUser, "Remember that I like tea."), said(transcript.KindAssistant, "Noted."),
	}
	first, err := small.Summarize(t.Context(), "", nil, talk)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(digestHead+"Asked so far:\n- Why is my machine slow?\n- Remember that I like tea.", first.Context); diff != "" {
		t.Error(diff)
	}
	if len(first.Lessons) > 0 {
		t.Errorf("a script learnt %v", first.Lessons)
	}
	next, err := small.Summarize(t.Context(), "", &transcript.Block{Text: first.Context}, []transcript.Block{said(transcript.KindUser, "How is the CPU?")})
	if err != nil {
		t.Fatal(err)
	}
	if want := first.Context + "\n- How is the CPU?"; next.Context != want {
		t.Errorf("the next summary is %q, want %q", next.Context, want)
	}
}

func TestSmallWorkHasTheRequestedForm(t *testing.T) {
	const talk = "[user]\nHello\n\n[assistant]\nHi\n\n" + endOfConversation
	tests := []struct {
		name string
		req  api.ChatRequest
		want string // "" means part of the chat
	}{
		{"headed text, without a schema", api.ChatRequest{Messages: user(talk)}, "CONTEXT:\n" + digestHead + "Asked so far:\n- Hello\n\nLESSONS:\n\nPEOPLE:\n"},
		{"nothing asked", api.ChatRequest{Messages: user("[assistant]\nHi\n\n" + endOfConversation)}, "CONTEXT:\n" + digestHead + "Nothing was asked.\n\nLESSONS:\n\nPEOPLE:\n"},
		{"a title", api.ChatRequest{Messages: append([]api.Message{{Role: "system", Content: titlePrompt(t)}}, user("Files: a.png\nMessage: Why is my machine so slow, and loud?\nAnswer: Because.")...)}, "Why is my machine so slow"},
		{"the question of a chat", api.ChatRequest{Messages: user("Message: Hello\nAnswer: no")}, ""},
		{"a chat that quotes the compactor", api.ChatRequest{Messages: user(talk), Tools: orchestratorTools()}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := smallWork(tt.req)
			if ok != (tt.want != "") || got.Text != tt.want {
				t.Errorf("answered %v with %q, want %q", ok, got.Text, tt.want)
			}
		})
	}
}

// titlePrompt returns the app's own prompt, so that the test notices changes to it.
func titlePrompt(t *testing.T) string {
	t.Helper()
	prompt, err := assets.FS.ReadFile("prompts/title.md")
	if err != nil || len(prompt) == 0 {
		t.Fatal(errors.Join(errors.New("no prompt for titles"), err))
	}
	return string(prompt)
}

func TestLongAndNumerousQuestionsAreShortened(t *testing.T) {
	material := strings.Repeat("[user]\n"+strings.Repeat("x", 500)+"\n\n[assistant]\nNo.\n\n", 30) + endOfConversation
	lines := strings.Split(digestContext(material), "\n")[1:]
	if len(lines) != maxDigestQuestions {
		t.Errorf("%d questions, want %d", len(lines), maxDigestQuestions)
	}
	if want := "- " + strings.Repeat("x", maxDigestQuestion) + "…"; lines[0] != want {
		t.Errorf("a question is %q", lines[0])
	}
}
