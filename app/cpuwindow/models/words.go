package models

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/ollama"
	"mac-stats/app/i18n"
)

// Gigabytes formats a size: 5.2 GB, 270 MB.
func Gigabytes(bytes int64) string {
	if bytes < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
	}
	return i18n.Number(fmt.Sprintf("%.1f GB", float64(bytes)/1e9))
}

// AdviceWords describes how large the suggested first model is, and why it is suggested.
func AdviceWords(a ollama.Suggestion) string {
	why := a.Why
	switch why {
	case "quick and simple":
		why = i18n.T("quick and simple")
	case "good on most laptops":
		why = i18n.T("good on most laptops")
	case "better answers":
		why = i18n.T("better answers")
	case "the best that fits well":
		why = i18n.T("the best that fits well")
	}
	return Gigabytes(a.Download) + " · " + why
}

// wholeGigabytes formats an amount of memory as it is sold.
func wholeGigabytes(memory uint64) string { return fmt.Sprint(math.Round(float64(memory) / (1 << 30))) }

// fitWords describes which models fit the machine's memory, and why.
func fitWords(memory uint64) string {
	if memory == 0 {
		return i18n.T("The size of a model decides whether it runs well: it must fit into this machine's memory and leave room for the conversation and other programs.")
	}
	return i18n.With("This machine has {{.Memory}} GB of memory. Models of up to {{.Most}} GB run well: the rest is for the conversation and other programs.",
		i18n.Places{"Memory": wholeGigabytes(memory), "Most": fmt.Sprintf("%.0f", math.Floor(ollama.MemoryShare*float64(memory)/1e9))})
}

// sizeWords describes how large a model is, and the size of its context.
func sizeWords(m ollama.ModelInfo) string {
	var words []string
	if m.Remote {
		words = append(words, i18n.T("runs elsewhere: your messages leave this machine"))
	} else if m.Size > 0 {
		words = append(words, Gigabytes(m.Size))
	}
	if m.Parameters > 0 {
		words = append(words, i18n.With("{{.N}} parameters", i18n.Places{"N": Parameters(m.Parameters)}))
	}
	if m.MaxContext > 0 {
		words = append(words, i18n.With("context of {{.N}} tokens", i18n.Places{"N": i18n.Thousands(m.MaxContext)}))
	}
	return strings.Join(words, " · ")
}

// Parameters formats a number of parameters as in models' names: 8.2B, 135M.
func Parameters(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.0fM", float64(n)/1e6)
	}
	return i18n.Number(fmt.Sprintf("%.1fB", float64(n)/1e9))
}

// abilityWords describes what a model can do.
func abilityWords(m ollama.ModelInfo) string {
	var words []string
	for _, a := range []struct{ capability, words string }{
		{"tools", i18n.T("uses tools")},
		{"vision", i18n.T("sees images")},
		{"thinking", i18n.T("thinks before it answers")},
		{"embedding", i18n.T("for search by meaning")},
	} {
		if m.Can(a.capability) {
			words = append(words, a.words)
		}
	}
	if m.Can("completion") && len(words) == 0 {
		return i18n.T("chats only")
	}
	return strings.Join(words, " · ")
}

// indefinite is the time from which on a loaded model counts as loaded until somebody unloads
// it.
const indefinite = 30 * 24 * time.Hour

// loadedWords describes how long a model stays loaded, and how much memory it uses.
func loadedWords(r api.ProcessModelResponse, now time.Time) string {
	words := i18n.T("Loaded until you unload it")
	switch left := r.ExpiresAt.Sub(now); {
	case left <= 0:
		words = i18n.T("Loaded, about to be unloaded")
	case left < 24*time.Hour:
		words = i18n.With("Loaded until {{.Time}}", i18n.Places{"Time": r.ExpiresAt.In(now.Location()).Format("15:04")})
	case left < indefinite:
		words = i18n.With("Loaded until {{.Time}}", i18n.Places{"Time": i18n.Moment(r.ExpiresAt.In(now.Location()), now)})
	}
	if r.Size > 0 {
		words += " · " + i18n.With("{{.Size}} of memory", i18n.Places{"Size": Gigabytes(r.Size)})
	}
	if r.ContextLength > 0 {
		words += " · " + i18n.With("context of {{.N}} tokens", i18n.Places{"N": i18n.Thousands(r.ContextLength)})
	}
	return words
}

// crowdedWords says what helps if conversations use a model by turns, and what it costs. alone
// says that the model also does the small tasks.
func crowdedWords(m ollama.ModelInfo, loaded api.ProcessModelResponse, alone bool) string {
	words := i18n.T("Conversations use it by turns, and the server keeps the beginning of one, so it reads the others’ again.") + " "
	if more := loaded.Size - m.Size; more > 0 { // what its context takes
		words += i18n.With("With OLLAMA_NUM_PARALLEL=2 in its environment it keeps two, for about {{.Size}} of memory.", i18n.Places{"Size": Gigabytes(more)})
	} else {
		words += i18n.T("With OLLAMA_NUM_PARALLEL=2 in its environment it keeps two, for more memory.")
	}
	if alone {
		advice := ollama.Advice(0)
		small := advice[len(advice)-1]
		words += " " + i18n.With("Or a model of its own does the small tasks: {{.Model}} takes about {{.Size}}.", i18n.Places{"Model": small.Model, "Size": Gigabytes(small.Download)})
	}
	return words
}

// installedWords describes how many models there are, and how much disk space they use.
func installedWords(list []ollama.ModelInfo) string {
	total := int64(0)
	for _, m := range list {
		if !m.Remote {
			total += m.Size
		}
	}
	return i18n.Count("{{.N}} models", len(list)) + " · " + i18n.With("{{.Size}} on disk", i18n.Places{"Size": Gigabytes(total)})
}

// ForChat returns the models that can chat.
func ForChat(all []ollama.ModelInfo) []ollama.ModelInfo {
	var out []ollama.ModelInfo
	for _, m := range all {
		if !m.Can("embedding") || m.Can("completion") {
			out = append(out, m)
		}
	}
	return out
}
