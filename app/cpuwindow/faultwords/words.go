// Package faultwords says in the reader's language what agents.Explain says in English:
// why a turn had no answer, and what to do. The chat, the models and the schedules show it.
package faultwords

import (
	"slices"
	"strings"

	"mac-stats/app/i18n"
)

// Of says it of a sentence, of what to do, or of both behind each other. What is worded
// elsewhere, such as by the server, stays as it is.
func Of(text string) string {
	if said := i18n.Told(text, texts); said != text {
		return said
	}
	for at := range text {
		if !strings.HasSuffix(text[:at], ".") || text[at] != ' ' {
			continue
		}
		if known, _ := i18n.MadeOf(text[:at], texts); known != "" {
			return i18n.Told(text[:at], texts) + " " + Of(strings.TrimSpace(text[at:]))
		}
	}
	return text
}

// Texts are all that it words.
func Texts() []string { return slices.Clone(texts) }

var texts = []string{
	"Something in mac-stats itself went wrong.", "Retry. The log in ~/.mac-stats/logs holds the details.",
	"Retry. If it happens again, the log in ~/.mac-stats/logs says more.",
	"It took longer than allowed.", "Retry, or allow more time.",
	"This message is too long: about {{.Need}} tokens, and {{.Model}} has room for {{.Room}}.",
	"Shorten it or split it up, or choose a model with a larger context. It was not sent.",
	"{{.Model}} can't look at images.",
	"Choose {{.Other}}, which can, or leave the image out.",
	"The session is held by the {{.Who}}.",
	"Wait until that answer is finished, or stop it there. Your message was not sent.",
	"Stopped.", "What had arrived is kept. Retry asks again.",
	"{{.Model}} gave an empty answer.", "Retry, or choose another model.",
	"Ollama isn't running at {{.Host}}.", "Start it with `ollama serve`, then Retry.",
	"{{.Model}} isn't installed.", "Pull it with {{.Command}}, or choose another model.",
	"The conversation doesn't fit the context of {{.Model}}, even shortened.",
	"Start a new chat, or choose a model with a larger context.",
	"The connection to Ollama at {{.Host}} broke off in mid-answer.",
	"What had arrived is kept. See whether Ollama still runs, then Retry.",
	"The connection to Ollama at {{.Host}} broke off before an answer came.",
	"See whether Ollama still runs, then Retry.",
	"Ollama at {{.Host}} stopped in mid-answer.",
	"What had arrived is kept. Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
	"Ollama at {{.Host}} doesn't answer.",
	"Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
	"Ollama at {{.Host}} is busy with other requests.", "Wait a moment, then Retry.",
	"What answers at {{.Host}} doesn't look like Ollama{{.Why}}.",
	"Check OLLAMA_HOST, and ollama.host in config.toml, then Retry.",
	"There isn't enough memory for {{.Model}}.",
	"Choose a smaller model, or a smaller context (ollama.num_ctx; in the window, the options of this conversation), then Retry. Closing other programs helps, too.",
	"Ollama at {{.Host}} reported an error{{.Why}}.", "Retry. If it happens again, see the server's log.",
	"None of the installed models can be used for {{.Role}}.",
	"Set a model in the agent's agent.json or in Settings, or pull one: {{.Command}}.",
	"No model is installed yet.", "Pull one: {{.Command}}, then Retry.",
	"The disk is full.", "Free some space, then Retry. Nothing that was saved before is lost.",
}
