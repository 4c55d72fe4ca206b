package transcript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxSessionPrompt is the limit of a session's own instructions in characters.
const maxSessionPrompt = 4000

// Settings are what a person chose for one session. The transcript stores them as a Note
// "settings", whose text is meant to be read and edited:
//
//	model: qwen3:8b
//	agent: coder
//	temperature: 0.2
//	think: off
//	context: 8192
//	prompt:
//	Answer in German.
//
// A missing key means no choice. The last such Note counts as a whole; a rewind or a reset
// doesn't change it. Older versions show it as a note.
type Settings struct {
	Model       string   // "" = the agent's
	Agent       string   // selector; "" = the default agent
	Temperature *float64 // 0 to 2; nil = the agent's
	Think       *bool    // whether the model thinks before it answers; nil = the agent's
	Context     int      // tokens the model should keep in mind; 0 = as for all conversations
	Prompt      string   // instructions appended to the agent's own
}

// IsZero reports whether nothing is chosen.
func (s Settings) IsZero() bool {
	return s.Model == "" && s.Agent == "" && s.Temperature == nil && s.Think == nil && s.Context == 0 && s.Prompt == ""
}

// Equal reports whether both say the same.
func (s Settings) Equal(o Settings) bool { return s.Text() == o.Text() }

// Check returns an error, worded for people, if the settings can't be saved.
func (s Settings) Check() error {
	if t := s.Temperature; t != nil && (*t < 0 || *t > 2 || *t != *t) {
		return fmt.Errorf("a temperature of %v is none: choose one from 0 to 2", *t)
	}
	if s.Context != 0 && !goodContext(s.Context) {
		return fmt.Errorf("a context of %d tokens is none: choose one from %d to %d", s.Context, leastContext, mostContext)
	}
	if n := len([]rune(s.Prompt)); n > maxSessionPrompt {
		return fmt.Errorf("the instructions have %d characters, and %d is the most: shorten them, or attach them as a file", n, maxSessionPrompt)
	}
	return nil
}

// DefaultSettings is the text of a settings Note that sets nothing.
const DefaultSettings = "everything by default"

// Text returns the Note's text.
func (s Settings) Text() string {
	var lines []string
	add := func(key, value string) {
		if value = OneLine(value); value != "" {
			lines = append(lines, key+": "+value)
		}
	}
	add("model", s.Model)
	add("agent", s.Agent)
	if s.Temperature != nil {
		add("temperature", strconv.FormatFloat(*s.Temperature, 'f', -1, 64))
	}
	if s.Think != nil {
		add("think", map[bool]string{true: "on", false: "off"}[*s.Think])
	}
	if s.Context != 0 {
		add("context", strconv.Itoa(s.Context))
	}
	if p := normalizeText(s.Prompt); p != "" {
		lines = append(lines, "prompt:", p)
	}
	if len(lines) == 0 {
		return DefaultSettings
	}
	return strings.Join(lines, "\n")
}

// ParseSettings reads a Note's text leniently: keys in any case and order, unusable values
// ignored, and everything after "prompt:" as the prompt.
func ParseSettings(text string) Settings {
	var s Settings
	lines := strings.Split(normalizeText(text), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "model":
			s.Model = value
		case "agent":
			s.Agent = value
		case "temperature":
			if t, err := strconv.ParseFloat(strings.Replace(value, ",", ".", 1), 64); err == nil && t >= 0 && t <= 2 {
				s.Temperature = &t
			}
		case "think":
			if on, ok := parseSwitch(value); ok {
				s.Think = &on
			}
		case "context":
			if n, err := strconv.Atoi(value); err == nil && goodContext(n) {
				s.Context = n
			}
		case "prompt":
			rest := strings.Join(append([]string{value}, lines[i+1:]...), "\n")
			s.Prompt = cutRunes(TrimBlankLines(rest), maxSessionPrompt)
			return s
		}
	}
	return s
}

const leastContext, mostContext = 512, 1 << 24 // tokens, as for ollama.num_ctx

func goodContext(n int) bool { return n >= leastContext && n <= mostContext }

// parseSwitch reads on and off, also as true and yes.
func parseSwitch(value string) (on, ok bool) {
	switch strings.ToLower(value) {
	case "on", "true", "yes":
		return true, true
	case "off", "false", "no":
		return false, true
	}
	return false, false
}

func cutRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}

// Note returns the block that stores the settings.
func (s Settings) Note() Block {
	return Block{Kind: KindNote, Note: NoteSettings, Text: s.Text()}
}

// Settings returns the settings of the last Note.
func (t *Transcript) Settings() Settings {
	for _, b := range slices.Backward(t.Blocks) {
		if b.Kind == KindNote && b.Note == NoteSettings {
			return ParseSettings(b.Text)
		}
	}
	return Settings{}
}
