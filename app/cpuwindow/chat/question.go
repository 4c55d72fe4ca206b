package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// A turn that needs permission asks in the chat and waits. The row shows exactly what would
// run or be sent, and where.

// questionRows builds a question that waits: its full subject and the possible answers.
func (r *Rows) questionRows(e *conversation.EntryView) []*column.Placed {
	q := e.Question
	what, note := whatWords(q)
	runs := []prose.Run{{Text: e.Text}, {Text: "\n\n"}, {Text: what, Mono: true}, {Text: "\n"}}
	if note != "" {
		runs = append(runs, prose.Run{Text: "\n" + note + "\n", Role: kit.RoleWarn})
	}
	fact := func(words, about string) {
		if about != "" {
			runs = append(runs, prose.Run{Text: "\n" + words + " " + about, Role: kit.RoleMuted})
		}
	}
	fact(i18n.T("Where:"), whereWords(q.Where))
	fact(i18n.T("Reads:"), i18n.Translated(q.Reads, effects))
	fact(i18n.T("Writes:"), i18n.Translated(q.Writes, effects))
	fact(i18n.T("Sends:"), i18n.Translated(q.Sends, effects))
	var buttons []fyne.CanvasObject
	for i, answer := range q.Answers {
		kind := kit.ButtonPlain
		if i == 0 && answer == agents.AnswerNever {
			kind = kit.ButtonPrimary
		}
		buttons = append(buttons, kit.NewButton(kind, answerWords(answer), func() { r.Act.Answer(q.ID, answer) }))
		if answer == agents.AnswerAlways {
			fact(i18n.T("“Always” covers:"), coversWords(q))
		}
	}
	return []*column.Placed{
		{Row: column.NewFramed(prose.New(runs, kit.SizeText, kit.RoleText), kit.RolePanel, kit.RoleLine, kit.RadiusCard, kit.Gap12, kit.Gap8), Gap: kit.Gap8, Max: kit.ProseMax},
		{Row: kit.NewFlowRow(kit.Gap8, buttons...), Gap: kit.Gap4, Max: kit.ProseMax},
	}
}

// whatWords returns exactly what would run or be sent, several arguments on a line each,
// and a note about it.
func whatWords(q *agents.Question) (what, note string) {
	at := len(q.Tool) + 1
	if len(q.What) <= at || q.What[at] != '{' {
		return q.What, ""
	}
	var args json.RawMessage
	d := json.NewDecoder(strings.NewReader(q.What[at:]))
	if d.Decode(&args) != nil {
		return q.What, ""
	}
	var lines bytes.Buffer
	_ = json.Indent(&lines, args, "", "  ") // it is valid JSON
	if strings.Count(lines.String(), "\n") <= 2 {
		lines.Reset()
		lines.Write(args)
	}
	note = strings.TrimSpace(q.What[at+int(d.InputOffset()):])
	return q.What[:at] + lines.String(), i18n.Translated(note, changed)
}

// changed is shown beside the call of a tool whose description has changed.
var changed = []string{"The tool's new description: {{.Text}}"}

// sandboxes describe how programs are confined, in the words of package command.
var sandboxes = []string{
	"{{.Box}}, BUT can talk to programs that have a socket in a folder",
	"{{.Box}} over TCP, BUT over UDP, and can talk to other programs through their sockets",
	"{{.Box}}, BUT can talk to other programs through their sockets",
	"{{.Box}}, BUT can end other programs of yours",
	"{{.Box}}, BUT can ask services of the system, and what it leaves in the background keeps running after a stop",
	"{{.Box}}, and what it leaves in the background keeps running after a stop",
	"in a sandbox (bubblewrap): writes there alone, {{.Network}}",
	"in a sandbox (Landlock): reads system folders, writes there alone, {{.Network}}",
	"in a sandbox (sandbox-exec): writes there alone, {{.Network}}",
	"WITHOUT a sandbox, which this system doesn't have: it can do what you can do",
	"no network", "with network",
}

// whereWords describes where a tool would run.
func whereWords(where string) string {
	folder, box, found := strings.Cut(where, " · ")
	if !found {
		return where
	}
	return folder + " · " + i18n.Translated(box, sandboxes)
}

// effects are what tools that ask say about themselves.
var effects = []string{
	"a public web page", "the address, to its host",
	"files of this machine", "files in that folder", "any file that you can write", "whatever it sends",
	"what that program can read", "what that program can write", "the arguments, to that program",
	"what that server can read", "what that server can write", "the arguments, to that server",
}

// Texts returns the texts of other packages that questions translate.
func Texts() []string { return slices.Concat(effects, changed, sandboxes) }

func answerWords(a agents.Answer) string {
	switch a {
	case agents.AnswerOnce:
		return i18n.T("Allow once")
	case agents.AnswerChat:
		return i18n.T("Allow in this chat")
	case agents.AnswerAlways:
		return i18n.T("Always allow")
	case agents.AnswerNever:
		return i18n.T("Never allow")
	}
	return i18n.T("Don't allow")
}

// coversWords describes what a lasting answer covers.
func coversWords(q *agents.Question) string {
	places := i18n.Places{"Agent": q.Agent, "Tool": q.Tool, "Covers": q.Covers}
	if q.Covers != "" {
		return i18n.With("{{.Tool}} with {{.Covers}} and any arguments, by the agent {{.Agent}}. In a chat that contains text from others you are still asked.", places)
	}
	return i18n.With("{{.Tool}} with any arguments, by the agent {{.Agent}}. In a chat that contains text from others you are still asked.", places)
}
