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
func Resolve(name string, tools []Tool) (t Tool, ok bool) {
	for _, t := range tools {
		if t.Name == name {
			return t, true
		}
	}
	forms := nameForms(name)
	for _, form := range forms {
		for _, t := range tools {
			if own := foldName(t.Name); form == own || form == strings.ReplaceAll(own, "_", "") {
				return t, true
			}
		}
	}
	var found []Tool
	for _, t := range tools {
		if _, short, foreign := strings.Cut(t.Name, "."); foreign && foldName(short) == forms[len(forms)-1] {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], true
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
