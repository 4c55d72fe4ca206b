package conversation

import (
	"cmp"
	"slices"

	"mac-stats/agents"
	"mac-stats/app/ui/markdown"
)

func (t *turn) applyCall(ev agents.Event) {
	if ev.Call == nil {
		return
	}
	e := t.log.inTurn(func(e *entry) bool { return e.Kind == Call && e.CallID == ev.Call.ID && ev.Call.ID != "" })
	if e == nil {
		e = t.log.add(&entry{Kind: Call, Began: ev.Time, Live: true, Doc: markdown.New(), call: call{CallID: ev.Call.ID}})
		if ev.Type == agents.EventTool {
			e.Doc = markdown.NewPreformatted()
		}
	}
	t.settleThoughts(ev.Time)
	k := ev.Call
	e.Rev++
	e.Tool = e.Tool || ev.Type == agents.EventTool
	e.Agent, e.Task, e.Written = cmp.Or(k.Name, e.Agent), cmp.Or(k.Task, e.Task), cmp.Or(k.Written, e.Written)
	e.Model = cmp.Or(k.Model, e.Model)
	if ev.Type == agents.EventSubcallToken {
		e.Doc.Append(ev.Text)
		return
	}
	if k.Result != "" {
		e.Doc.Replace(k.Result)
		e.Unsaved = unsavedWords(agents.UnsavedOf(k.Result))
	}
	if ev.Type == agents.EventSubcallEnd || k.Done || k.Failed != "" {
		e.Live, e.Failed, e.Took = false, k.Failed, k.Took
		if e.Took == 0 {
			e.Took = ev.Time.Sub(e.Began)
		}
		t.settleCall(e)
	}
}

// settleCall moves a call that has ended below those that ended before it, in the order of
// the transcript: a specialist's calls stand above the specialist.
func (t *turn) settleCall(e *entry) {
	at := slices.Index(t.log.entries, e)
	to := at
	for i := at + 1; i < len(t.log.entries) && t.log.entries[i].Kind == Call; i++ {
		if !t.log.entries[i].Live {
			to = i
		}
	}
	if to > at {
		t.log.entries = slices.Insert(slices.Delete(t.log.entries, at, at+1), to, e)
	}
}
