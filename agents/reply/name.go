package reply

import (
	"strings"
	"unicode"
)

// Resolve returns the tool that a model means by a name, whether the call is native or
// written; ok is false if there is none. The name may have any case, other separators and
// what families of models put around it: functions.fetch_url, mcp__server__tool,
// FETCH_URL:0. The tool of another program is also found by its name without the server's,
// if only one has it.
func Resolve(name string, tools []Tool) (t Tool, ok bool) { return newResolver(tools).find(name) }

// resolver finds tools by the names that models give them.
type resolver struct {
	tools []Tool
	names map[string]int // exact, folded with and without "_", and without the server's; -1 if several have that
}

func newResolver(tools []Tool) *resolver {
	r := &resolver{tools, map[string]int{}}
	for i, t := range tools {
		if _, short, foreign := strings.Cut(t.Name, "."); foreign {
			short = foldName(short)
			if _, twice := r.names[short]; twice {
				i = -1
			}
			r.names[short] = i
		}
	}
	for i := len(tools) - 1; i >= 0; i-- { // the first one wins
		own := foldName(tools[i].Name)
		r.names[tools[i].Name], r.names[own], r.names[strings.ReplaceAll(own, "_", "")] = i, i, i
	}
	return r
}

func (r *resolver) find(name string) (Tool, bool) {
	for _, form := range nameForms(name) {
		if i, ok := r.names[form]; ok && i >= 0 && form != "" {
			return r.tools[i], true
		}
	}
	return Tool{}, false
}

// nameForms returns what a name may stand for: as it is, then without what is around it.
func nameForms(name string) []string {
	exact := name
	name = strings.Trim(strings.TrimSpace(name), "`\"'*:")
	if at := strings.LastIndexAny(name, ":#"); at > 0 && strings.Trim(name[at+1:], "0123456789") == "" {
		name = name[:at]
	}
	form := foldName(name)
	forms := []string{exact, form}
	if half := len(form) / 2; form[:half] == form[len(form)-half:] && len(form) > 1 {
		forms = append(forms, form[:half]) // the name twice
	}
	for _, space := range []string{"functions_", "function_", "tools_", "tool_", "default_api_", "api_", "mac_stats_", "mcp_", "call_", "use_", "get_", "run_"} {
		form = strings.TrimPrefix(form, space)
	}
	form = strings.TrimSuffix(strings.TrimSuffix(form, "_tool"), "_call")
	return append(forms, form)
}

// foldName returns a name in lower case, with one "_" for all that isn't a letter or digit.
func foldName(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
