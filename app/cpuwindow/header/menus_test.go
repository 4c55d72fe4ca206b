package header

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/ollama"
	"mac-stats/agents/registry"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/screentest"
	"mac-stats/sessionmem/transcript"
)

// items describes the items of a menu: "✓" for the chosen one, brackets for one that can't be
// chosen.
func items(m *fyne.Menu) (out []string) {
	for _, i := range m.Items {
		label := i.Label
		if i.Checked {
			label = "✓ " + label
		}
		if i.Disabled {
			label = "(" + label + ")"
		}
		out = append(out, label)
	}
	return out
}

func TestTheMenuOfModels(t *testing.T) {
	all := []ollama.ModelInfo{
		{Name: "qwen3:8b"},
		{Name: "nomic-embed-text", Capabilities: []string{"embedding"}},
		{Name: "llava:7b", Size: 4_700_000_000, MaxContext: 32 << 10, Capabilities: []string{"completion", "vision"}},
	}
	const auto, eyes = "automatic: the agent's own, else one that fits it", "llava:7b  ·  4.7 GB  ·  32k context  ·  sees images"
	for chosen, want := range map[string][]string{
		"":         {"✓ " + auto, "qwen3:8b", eyes},
		"llava:7b": {auto, "qwen3:8b", "✓ " + eyes},
		"gone:1b":  {auto, "qwen3:8b", eyes, "(✓ gone:1b  ·  not installed)"},
	} {
		var picked []string
		m := ModelMenu(all, chosen, func(name string) { picked = append(picked, name) })
		if diff := cmp.Diff(want, items(m)); diff != "" {
			t.Errorf("%q is chosen (-want +got):\n%s", chosen, diff)
		}
		for _, i := range m.Items {
			i.Action()
		}
		if diff := cmp.Diff([]string{"", "qwen3:8b", "llava:7b"}, picked); diff != "" {
			t.Errorf("picked (-want +got):\n%s", diff)
		}
	}
}

func TestTheMenuOfAgents(t *testing.T) {
	picked := ""
	m := AgentMenu([]registry.Agent{
		{Slug: "orchestrator", Name: "Orchestrator", Enabled: true, Description: strings.Repeat("plans and asks ", 9)},
		{ID: "007", Name: "Nameless", Enabled: true},
		{Slug: "off", Enabled: false},
		{ID: "009", Err: errors.New("agent.json: line 4")},
	}, "orchestrator", func(slug string) { picked = slug })
	got := items(m)
	if len(got) != 3 || !strings.HasPrefix(got[0], "✓ orchestrator  ·  plans and asks ") || !strings.HasSuffix(got[0], "…") || got[1] != "Nameless" || got[2] != "(009  ·  can't be used: agent.json: line 4)" {
		t.Errorf("%q", got)
	}
	m.Items[0].Action()
	if picked != "orchestrator" {
		t.Errorf("picked %q", picked)
	}
	for _, own := range []func(){nil, func() {}} {
		if got := items(DemoMenu(own, func() {})); got[len(got)-1] != "Quit the demo" || len(got) == 1 != (own == nil) {
			t.Errorf("out of the demo: %q", got)
		}
	}
}

// What a header shows of a conversation, and of a page.
func TestTheHeaderShowsWhatItIsGiven(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		s := screentest.New(t)
		var pressed []string
		press := func(what string) func() { return func() { pressed = append(pressed, what) } }
		h := New(Actions{
			OpenList: press("list"), PickAgent: press("agent"), PickModel: press("model"), Options: press("options"), ExplainPrivate: press("private"),
			OpenFile: press("file"), NewChat: press("new"), LeaveDemo: press("demo"),
		}, true)
		s.Win = test.NewTempWindow(t, h.Object)
		s.Win.SetPadded(false)
		s.Win.Resize(fyne.NewSize(1400, 60))
		h.SetWidth(1400)
		s.Sees("New chat", "orchestrator", "automatic model", "options", "demo, no model")
		s.SeesNot(">private<", ">Open file<", ">Chats<")
		half, on, off := 0.5, true, false
		for _, tt := range []struct {
			chosen transcript.Settings
			want   string
		}{
			{transcript.Settings{}, "options"},
			{transcript.Settings{Temperature: &half, Think: &on}, "temperature 0.5 · thinking on"},
			{transcript.Settings{Think: &off, Context: 32 << 10, Prompt: "In German."}, "thinking off · context 32k · instructions"},
		} {
			h.ShowChat("Fan noise", "coder", tt.chosen, true)
			if h.Options.Text != tt.want {
				t.Errorf("%+v: %q, want %q", tt.chosen, h.Options.Text, tt.want)
			}
		}
		h.SetPrivate(true)
		h.ShowChat("Fan noise", "coder", transcript.Settings{Model: "qwen3:8b"}, true)
		s.Sees("Fan noise", "coder", "qwen3:8b", "private", "Open file")
		for _, label := range []string{"coder", "qwen3:8b", "options", "private", "Open file", "demo, no model"} {
			s.Pushes(h.Object, label)
		}
		h.SetNarrow(true)
		h.SetNarrow(true)
		s.Pushes(h.Object, "Chats")
		s.Pushes(h.Object, "New chat")
		if diff := cmp.Diff([]string{"agent", "model", "options", "private", "file", "demo", "list", "new"}, pressed); diff != "" {
			t.Errorf("pressed (-want +got):\n%s", diff)
		}
		for _, asks := range []bool{true, true, false} {
			h.SetAsks(asks)
			if got := h.chats.Text == "Chats ●" && h.chats.Tone == kit.RoleWarn; got != asks {
				t.Errorf("a question waits: %t, shown: %t", asks, got)
			}
		}
		h.ForPage(true, "Settings")
		s.Sees("Settings", "New chat")
		s.SeesNot("coder", "private", "Open file", "Fan noise")
		h.SetTitle("Memory")
		s.Sees("Memory")
		h.ForPage(false, "")
		h.ShowChat("", "coder", transcript.Settings{}, false)
		s.Sees("coder", "New chat")
		if n := strings.Count(s.Markup(), ">New chat<"); n != 1 { // its title; an empty chat offers no other
			t.Error(fmt.Sprint(n, " times New chat"))
		}
	})
}
