package prompt

import (
	"strings"

	"mac-stats/agents/tools"
)

// QuotedLines are the lines of quoted text in the form of a directive. A model that
// repeats a page or a specialist's answer repeats them too. They are the stranger's, not
// the model's, and never run.
type QuotedLines map[string]bool

// Add adds the lines of a quoted text.
func (q QuotedLines) Add(text string) {
	s := Scanner{Grammar: &Grammar{Fits: func(Directive) bool { return true }, Agent: func(string) bool { return false }}}
	s.Write(text)
	s.Finish()
	for _, d := range s.Found {
		q[firstLine(d)] = true
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if d, ok := readAdorned(line); ok {
			q[firstLine(d)] = true
		}
	}
}

// firstLine returns the part of a call that is compared with quoted lines.
func firstLine(d Directive) string {
	arg := d.Arg
	if d.Args != nil {
		arg = tools.JoinArgs(d.Args)
	}
	arg, _, _ = strings.Cut(strings.TrimSpace(arg), "\n")
	return tools.Call{Name: d.Name, Arg: arg}.Key()
}

// Hold reports whether a call by directive is among the lines.
func (q QuotedLines) Hold(call tools.Call) bool {
	d := Directive{Name: call.Name, Arg: call.Arg}
	if tools.IsForeign(call.Name) {
		d = Directive{Name: tools.MCP, Arg: strings.TrimSpace(call.Name + " " + call.Arg)}
	}
	if call.Written {
		d.Args = call.Args
	}
	return (!call.Native() || call.Written) && q[firstLine(d)]
}
