// Package faultwords translates the texts of fault.Explain: why a turn had no answer, and
// what to do. The chat, the models and the schedules show them. It also translates what a
// turn says about the choice of its model.
package faultwords

import (
	"slices"
	"strings"

	"mac-stats/app/i18n"
)

// Of translates a sentence, the advice that follows, or both in a row. Texts from
// elsewhere, such as the server, stay as they are.
func Of(text string) string {
	if translated := i18n.Translated(text, texts); translated != text {
		return translated
	}
	for at := range text {
		if !strings.HasSuffix(text[:at], ".") || text[at] != ' ' {
			continue
		}
		if known, _ := i18n.Match(text[:at], texts); known != "" {
			return i18n.Translated(text[:at], texts) + " " + Of(strings.TrimSpace(text[at:]))
		}
	}
	return text
}

// Texts returns all texts that Of translates.
func Texts() []string { return slices.Clone(texts) }

var texts = []string{
	"Something in mac-stats itself went wrong.", "Retry. The log in ~/.mac-stats/logs holds the details.",
	"Retry. If it happens again, the log in ~/.mac-stats/logs says more.",
	"It took longer than allowed.", "Retry, or allow more time.",
	"This message is too long: about {{.Need}} tokens, and {{.Model}} has room for {{.Room}}.",
	"Shorten it or split it up, or choose a model with a larger context. It was not sent.",
	"{{.Model}} can't look at images.",
	"Choose {{.Other}}, which can, or leave the image out.",
	"{{.Other}} answers this message, because {{.Model}} can't look at images",
	"{{.Model}} can't look at images: {{.Number}} of earlier messages not sent",
	"The model {{.Model}} is too small for tools and other agents: it answers by itself",
	"The tools of the MCP server {{.Server}} are missing: {{.Why}}", "The tools of MCP servers are missing: {{.Why}}",
	"it is still starting; {{.Command}} waits for it", "it didn't answer in time", "{{.Program}} isn't installed or not in PATH",
	"it ended with {{.Text}}; more may be in {{.File}}", "it ended without a word; try its command in a terminal: {{.Command}}",
	"starting the MCP server {{.Server}}",
	"The session is held by the {{.Who}}.",
	"Wait until that answer is finished, or stop it there. Your message was not sent.",
	"Stopped.", "The partial answer is kept. Retry asks again.",
	"{{.Model}} gave an empty answer. The server's reason for its end: {{.Reason}}.",
	"{{.Model}} gave an empty answer.", "Retry, or choose another model.",
	"{{.Model}} thought until its limit and gave no answer.", "What it thought is kept. Switch thinking off for this conversation, or raise ollama.num_ctx.",
	"{{.Model}} only thought and gave no answer.", "What it thought is kept. Retry, or switch thinking off for this conversation.",
	"Ollama isn't running at {{.Host}}.", "Start it with `ollama serve`, then Retry.",
	"{{.Model}} isn't installed{{.Why}}.", "Pull it with {{.Command}}, or choose another model.",
	"The conversation doesn't fit the context of {{.Model}}, even shortened{{.Why}}.",
	"Start a new chat, or choose a model with a larger context.",
	"The connection to Ollama at {{.Host}} broke off in mid-answer.",
	"The partial answer is kept. Check that Ollama is running, then Retry.",
	"The connection to Ollama at {{.Host}} broke off before an answer came.",
	"Check that Ollama is running, then Retry.",
	"Ollama at {{.Host}} stopped in mid-answer.",
	"The partial answer is kept. Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
	"Ollama at {{.Host}} doesn't answer.",
	"Retry. If it happens again, restart Ollama, or raise ollama.idle_timeout.",
	"Ollama at {{.Host}} is busy with other requests{{.Why}}.", "Wait a moment, then Retry.",
	"What answers at {{.Host}} doesn't look like Ollama{{.Why}}.",
	"Check OLLAMA_HOST, and ollama.host in config.toml, then Retry.",
	"There isn't enough memory for {{.Model}}.",
	"Choose a smaller model, or a smaller context size (in this conversation's options or in Settings), then Retry. Closing other programs helps, too.",
	"Ollama at {{.Host}} reported an error{{.Why}}.", "Retry. If it happens again, see the server's log.",
	"None of the installed models can chat.",
	"Set a model in the agent's agent.json or in Settings, or pull one: {{.Command}}.",
	"No model is installed yet.", "Pull one: {{.Command}}, then Retry.",
	"The disk is full.", "Free some space, then Retry. Nothing that was saved before is lost.",
	"{{.Model}} makes vectors for the search and can't chat.", "Choose another model.",
	"Pull a model that can, such as {{.Command}}, or leave the image out.",
	"Stopped while waiting for the session, which the {{.Who}} holds.",
	"Your message was not sent. Send it again when the other answer is finished.",
	"Nothing may be written (session.in_memory_only), but this conversation is stored in a file.",
	"Start a new chat: it stays in memory. Or switch the setting off.",
	"This transcript is read-only: it is from a newer version, or a newer file continues it.",
	"Start a new chat, or update mac-stats.",
	"Write the name as `mac-stats models list` and ollama.com/library show it, such as qwen3:8b.",
	"{{.Model}} couldn't be pulled{{.Why}}.",
	"Check the spelling: ollama.com/library shows the names.",
	"Raise the limit on the size of files (ulimit -f), or start a new chat. Nothing that was saved before is lost.",
	"Make it writable, or set MAC_STATS_HOME to another folder, then Retry.",
	"Move it away, or set MAC_STATS_HOME to another folder.",
	"Give yourself access to it, or set MAC_STATS_HOME to another folder, then Retry. Nothing that was saved before is lost.",
	"Put it back if you moved it, or start mac-stats again: it makes a new one.",
	"Check the disk, then Retry. Nothing that was saved before is lost.",
	"Check that the file can be read and written, then Retry. Nothing that was saved before is lost.",
	"Your message", "The answer", "A part of the answer",
	"the disk is full.", "the disk is read-only.", "The disk is read-only.", "the file may not grow any more.",
	"there is a file where a folder should be: {{.Path}}", "its folder is gone: {{.Path}}", "no permission to {{.Path}}",
	"{{.What}} could not be saved: {{.Why}}",
	"None of the installed models can look at images.",
	"None of the installed models can make vectors for the search.",
	"Ollama at {{.Host}} doesn't say what {{.Model}} can do{{.Why}}.",
	"Correct it in OLLAMA_HOST, or in ollama.host in config.toml, and start mac-stats again. No other server was asked.",
	"Bad Ollama address {{.Address}}: {{.Why}}.",
	"Update Ollama, then Retry.",
	"Install the certificate of the network's proxy where it isn't trusted, then Retry.",
	"Pull a version of it in the GGUF format.",
	"Wait some minutes, then Retry. A download goes on where it stopped.",
	"Get access on the model's page and sign in there with Ollama's key, or choose another model.",
	"Free some space where Ollama keeps its models, then Retry.",
	"Check that the machine of the server is online, then Retry.",
	"Check HTTP_PROXY and HTTPS_PROXY, then Retry.",
	"If Ollama is at that address, set it as ollama.host in config.toml.",
	"Check the name and the password in ollama.host or OLLAMA_HOST, or save a token with `mac-stats models token`, then Retry.",
	"Save the token that the server wants with `mac-stats models token`, then Retry.",
	"Raise the limit of the gateway in front of Ollama, or send less.",
	"Check that Ollama is running behind that gateway, then Retry.",
	"There is no room for this message: it takes about {{.Need}} tokens, and {{.Model}} has room for {{.Room}} of the {{.Context}} that are set.",
	"Raise {{.Setting}}, or shorten the message. It was not sent.",
	"Raise {{.Setting}}, or shorten the message.",
	"Shorten it or split it up, or choose a model with a larger context.",
}
