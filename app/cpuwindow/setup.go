package cpuwindow

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents/ollama"
)

// serverState is what the window knows of the model server.
type serverState struct {
	checked   bool
	checking  bool
	down      error
	version   string
	address   string
	models    []ollama.ModelInfo
	modelsErr error
}

// line is the server's state in the foot.
func (s serverState) line() string {
	switch {
	case !s.checked:
		return "looking for Ollama…"
	case s.down != nil:
		return "Ollama is down"
	case s.modelsErr != nil:
		return "Ollama " + s.version + " · its models can't be listed"
	case len(chatModels(s.models)) == 0:
		return "Ollama " + s.version + " · no model yet"
	}
	return "Ollama " + s.version + " · ready"
}

// chatModels are those that can talk.
func chatModels(all []ollama.ModelInfo) []ollama.ModelInfo {
	var out []ollama.ModelInfo
	for _, m := range all {
		if !m.Can("embedding") || m.Can("completion") {
			out = append(out, m)
		}
	}
	return out
}

// advice is what to pull on a machine with so much memory.
type advice struct {
	model string
	size  string // to download
	why   string
}

// adviseModel picks by the machine's memory in bytes: the model and its context
// must leave room for the rest.
func adviseModel(memory uint64) []advice {
	gb := float64(memory) / (1 << 30)
	small := advice{"qwen3:1.7b", "1.4 GB", "quick and simple"}
	middle := advice{"qwen3:4b", "2.5 GB", "good on most laptops"}
	large := advice{"qwen3:8b", "5.2 GB", "better answers"}
	huge := advice{"qwen3:14b", "9.3 GB", "the best that fits well"}
	switch {
	case memory == 0:
		return []advice{middle, small}
	case gb < 7.5:
		return []advice{small}
	case gb < 15:
		return []advice{middle, small}
	case gb < 30:
		return []advice{large, middle}
	}
	return []advice{huge, large}
}

// pullState is a download under way.
type pullState struct {
	model     string
	status    string
	completed int64
	total     int64
	err       error
	done      bool
}

func (p pullState) fraction() float64 {
	if p.total <= 0 {
		return 0
	}
	return float64(p.completed) / float64(p.total)
}

func (p pullState) words() string {
	switch {
	case p.err != nil:
		return ""
	case p.total > 0:
		return fmt.Sprintf("%s · %.1f of %.1f GB · %.0f %%", p.status, float64(p.completed)/1e9, float64(p.total)/1e9, math.Floor(100*p.fraction()))
	}
	return orElse(p.status, "asking for it") + "…"
}

// installSteps says how to get and start Ollama on a system.
func installSteps(goos string) (steps []string, command string) {
	switch goos {
	case "darwin":
		return []string{"Download Ollama, move it to Applications and open it once; or, with Homebrew:"}, "brew install ollama && brew services start ollama"
	case "windows":
		return []string{"Download and run OllamaSetup.exe; it starts by itself. Or, in a terminal:"}, "winget install Ollama.Ollama"
	}
	return []string{"Download and run the installer, which also starts the service; in a terminal:"}, "curl -fsSL https://ollama.com/install.sh | sh"
}

// setupCards is what a window shows that can't answer yet, or nothing.
type setupCards struct {
	open     func(url string)
	copyText func(string)
	check    func()
	demo     func() // nil where there is none
	pull     func(model string)
	cancel   func()
}

func (s setupCards) rows(st serverState, pull *pullState, memory uint64, fresh bool) []*placed {
	switch {
	case !st.checked:
		return nil
	case pull != nil && !pull.done:
		return []*placed{{row: s.pullCard(*pull), gap: gap20, max: proseMax}}
	case st.down != nil && fresh:
		return []*placed{{row: s.downCard(st), gap: gap20, max: proseMax}}
	case st.down == nil && st.modelsErr == nil && len(chatModels(st.models)) == 0:
		return []*placed{{row: s.modelCard(memory, pull), gap: gap20, max: proseMax}}
	}
	return nil
}

func (s setupCards) downCard(st serverState) row {
	steps, command := installSteps(runtime.GOOS)
	code := newCodeRow(leaf{code: command}, s.copyText)
	buttons := []fyne.CanvasObject{newButton(buttonPrimary, "Re-check", s.check), newButton(buttonPlain, "Get Ollama", func() { s.open("https://ollama.com/download") })}
	if s.demo != nil {
		buttons = append(buttons, newButton(buttonPlain, "Try the demo", s.demo))
	}
	c := newCardRow(roleNone,
		titleWords("Ollama isn't running"),
		newParagraph("mac-stats talks to models on your own machine, through Ollama. Nothing answers at "+st.address+".", roleMuted),
		spacer(gap4), newParagraph(strings.Join(steps, " "), roleText), code,
		newParagraph("Already installed? Start it with `ollama serve`, then re-check.", roleMuted),
		spacer(gap4), line(gap8, -1, buttons...))
	c.pad = gap16
	return c
}

func (s setupCards) modelCard(memory uint64, pull *pullState) row {
	intro := "Ollama is ready and has no model yet. Pick one to download; you can change it later."
	if memory > 0 {
		intro = "Ollama is ready and has no model yet. This machine has " + wholeGigabytes(memory) + " GB of memory, so:"
	}
	parts := []fyne.CanvasObject{titleWords("One model to begin with"), newParagraph(intro, roleMuted), spacer(gap4)}
	if pull != nil && pull.err != nil && !errors.Is(pull.err, ollama.ErrCancelled) {
		parts = append(parts, newParagraph("The download of "+pull.model+" failed: "+pull.err.Error(), roleHot))
	}
	for i, a := range adviseModel(memory) {
		kind := buttonPlain
		if i == 0 {
			kind = buttonPrimary
		}
		parts = append(parts, line(gap8, 1, newButton(kind, "Pull "+a.model, func() { s.pull(a.model) }), mutedWords(a.size+" · "+a.why).squeezable()))
	}
	parts = append(parts, spacer(gap4), line(gap8, -1, newButton(buttonQuiet, "More models", func() { s.open("https://ollama.com/library") }), newButton(buttonQuiet, "Re-check", s.check)))
	c := newCardRow(roleNone, parts...)
	c.pad, c.gap = gap16, gap8
	return c
}

func (s setupCards) pullCard(p pullState) row {
	bar := newGauge(200)
	bar.set(p.fraction(), roleAccent)
	parts := []fyne.CanvasObject{titleWords("Pulling " + p.model), bar, line(gap8, 0, smallWords(p.words()).squeezable(), newButton(buttonPlain, "Cancel", s.cancel))}
	if p.err != nil {
		parts = []fyne.CanvasObject{titleWords("Pulling " + p.model + " failed"), newParagraph(p.err.Error(), roleHot), line(gap8, -1, newButton(buttonPrimary, "Try again", func() { s.pull(p.model) }), newButton(buttonPlain, "Dismiss", s.cancel))}
	}
	c := newCardRow(roleNone, parts...)
	c.pad, c.gap = gap16, gap8
	return c
}

func titleWords(s string) *words {
	w := newWords(s, roleText, sizeLarge)
	w.style.Bold = true
	return w.squeezable()
}
