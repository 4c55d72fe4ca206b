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
	exact map[string]int // by name
	names map[string]int // by folded name, with and without "_"
	short map[string]int // by the folded name without the server's; -1 if several have it
}

func newResolver(tools []Tool) *resolver {
	r := &resolver{tools, map[string]int{}, map[string]int{}, map[string]int{}}
	for i := len(tools) - 1; i >= 0; i-- { // the first one wins
		r.exact[tools[i].Name] = i
		own := foldName(tools[i].Name)
		r.names[own], r.names[strings.ReplaceAll(own, "_", "")] = i, i
		if _, short, foreign := strings.Cut(tools[i].Name, "."); foreign {
			short = foldName(short)
			if _, twice := r.short[short]; twice {
				r.short[short] = -1
			} else {
				r.short[short] = i
			}
		}
	}
	return r
}

func (r *resolver) find(name string) (Tool, bool) {
	if i, ok := r.exact[name]; ok {
		return r.tools[i], true
	}
	form := ""
	for _, form = range nameForms(name) {
		if i, ok := r.names[form]; ok && form != "" {
			return r.tools[i], true
		}
	}
	if i, ok := r.short[form]; ok && i >= 0 {
		return r.tools[i], true
	}
	return Tool{}, false
}

// nameForms returns what a name may stand for: as it is, then without what is around it.
func nameForms(name string) []string {
	name = strings.Trim(strings.TrimSpace(name), "`\"'*:")
	if at := strings.LastIndexAny(name, ":#"); at > 0 && strings.Trim(name[at+1:], "0123456789") == "" {
		name = name[:at]
	}
	form := foldName(name)
	forms := []string{form}
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
