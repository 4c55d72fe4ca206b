package channels

import (
	"maps"
	"slices"
	"strconv"
)

// shortestID is the minimum number of digits of IDs that Discord has assigned since 2015.
const shortestID = 17

// Doubts returns valid settings that are probably mistakes: agents for which find returns
// an error, and numbers too short for a channel's ID. They stay in force.
func (f *File) Doubts(find func(agent string) error) []Finding {
	var found []Finding
	doubt := func(key, text string) {
		found = append(found, Finding{File: f.name, Line: f.lines[key], Key: key, Text: text})
	}
	agent := func(section, selector string) {
		if selector == "" {
			return
		}
		if err := find(selector); err != nil {
			doubt(section+".agent", err.Error())
		}
	}
	agent("default", f.defaults.Agent)
	for _, id := range slices.Sorted(maps.Keys(f.given)) {
		key := "channel." + id
		if len(id) < shortestID {
			doubt(key, strconv.Quote(id)+" is hardly an id: Discord's have 17 to 20 digits (in Discord: Settings, Advanced, Developer Mode; then right-click the channel, Copy ID)")
		}
		if g := f.given[id]; g.agent != nil {
			agent(key, *g.agent)
		}
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return a.Line - b.Line })
	return found
}
