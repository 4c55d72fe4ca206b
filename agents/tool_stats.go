package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mac-stats/agents/tools"
	"mac-stats/sessionmem/excerpt"
)

// statsTopics are what SYSTEM_STATS can be asked for: the metrics of app/monitor.
var statsTopics = []string{"cpu", "memory", "disk", "network", "gpu", "temperature", "battery", "processes"}

// IsStatsTopic reports whether SYSTEM_STATS can be asked for a topic.
func IsStatsTopic(topic string) bool { return slices.Contains(statsTopics, topic) }

// statsTool is SYSTEM_STATS: how the machine is doing.
type statsTool struct {
	read func(ctx context.Context, topic string) (string, error)
}

func (statsTool) Name() string { return tools.SystemStats }

func (statsTool) Doc() tools.Doc {
	return tools.Doc{
		Name:        tools.SystemStats,
		Usage:       "SYSTEM_STATS: [" + strings.Join(statsTopics, "|") + "]",
		Description: "Reads this machine's state now; without a topic, all of it.",
		Effects:     tools.Effects{Reads: "how this machine is doing"},
	}
}

func (statsTool) Params() []tools.Param {
	return []tools.Param{{Name: "topic", Description: "what to read; left out: all", Enum: statsTopics}}
}

func (statsTool) fits(call tools.Call) bool {
	topic := call.Arg
	if call.Native() {
		topic = call.Value("topic")
	}
	topic = strings.ToLower(strings.Trim(strings.TrimSpace(topic), "[]`\"'."))
	return topic == "" || topic == "all" || slices.Contains(statsTopics, topic)
}

// Run reads the stats. A topic in words ("cpu usage") counts by its first word.
func (t statsTool) Run(ctx context.Context, call tools.Call) (tools.Result, error) {
	topic := call.Arg
	if call.Native() {
		topic = call.Value("topic")
	}
	topic = strings.ToLower(strings.Trim(strings.TrimSpace(topic), "[]`\"'."))
	if words := strings.Fields(topic); len(words) > 0 {
		topic = words[0]
	}
	if topic == "all" {
		topic = ""
	}
	if topic != "" && !slices.Contains(statsTopics, topic) {
		return tools.Result{}, fmt.Errorf("no topic %q; there are %s", excerpt.Shorten(topic, 40), strings.Join(statsTopics, ", "))
	}
	text, err := t.read(ctx, topic)
	if err != nil {
		return tools.Result{}, fmt.Errorf("reading the machine's state: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return tools.Result{}, errors.New("the machine gave no figures")
	}
	return tools.Result{Text: text}, nil
}
