package agents

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mac-stats/agents/registry"
	"mac-stats/agents/testkit"
	"mac-stats/agents/tools"
	"mac-stats/sessionmem/lesson"
	"mac-stats/sessionmem/memory"
)

// Every list of all tools is complete; see CONTRIBUTING.md, "Where to add what". The words for a call
// are tested in app/cpuwindow/conversation.
func TestEveryToolIsKnownEverywhere(t *testing.T) {
	r := newRig(t, testkit.Script{Rules: replies("Hello.")})
	r.engine.p.Recall = func() (Searcher, error) { return nil, errors.New("never asked") }
	var all []string
	for _, tool := range append(r.idle().finders(), r.idle().ownTools()...) {
		all = append(all, tool.Doc().Name)
	}
	all = append(all, tools.RunCmd, tools.MCP) // if they are enabled or configured
	slices.Sort(all)
	known := slices.Sorted(slices.Values(registry.KnownTools))
	if diff := cmp.Diff(known, all); diff != "" {
		t.Errorf("registry.KnownTools (-) and turn.ownTools (+) differ; a tool whose field of Params newRig doesn't set is missing too:\n%s", diff)
	}

	bringStrangersText := []string{tools.FetchURL, tools.RunCmd, tools.MCP}
	decided := slices.Sorted(slices.Values(slices.Concat(OwnTools(), bringStrangersText)))
	if diff := cmp.Diff(known, decided); diff != "" {
		t.Errorf("may a tool's result hold strangers' text? Add the tool to bringStrangersText above if so, otherwise to OwnTools in turn_tools.go:\n%s", diff)
	}

	for _, name := range registry.KnownTools {
		_, err := r.params.Memory.Append(t.Context(), memory.Lesson{Text: "The user likes to write " + name + ": home"})
		if !errors.Is(err, lesson.ErrRejected) {
			t.Errorf("a lesson that holds the directive %s was not rejected: add it to directivePattern in sessionmem/lesson (%v)", name, err)
		}
	}
}
