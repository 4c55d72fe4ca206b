package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mac-stats/sessionmem/excerpt"
)

// statsTopics are the topics of SYSTEM_STATS: the metrics of app/monitor.
var statsTopics = []string{"cpu", "memory", "disk", "network", "gpu", "temperature", "battery", "processes"}

// IsStatsTopic reports whether SYSTEM_STATS has the topic.
func IsStatsTopic(topic string) bool { return slices.Contains(statsTopics, topic) }

// Stats is SYSTEM_STATS, which reads the machine's metrics. Read returns a topic, or all
// topics for "".
type Stats struct {
	Read func(ctx context.Context, topic string) (string, error)
}

// Doc returns the tool's description for a model.
func (Stats) Doc() Doc {
	return Doc{
		Name:        SystemStats,
		Usage:       "SYSTEM_STATS: [" + strings.Join(statsTopics, "|") + "]",
		Description: "Reads this machine's state now; without a topic, all of it.",
		Effects:     Effects{Reads: "how this machine is doing"},
		Params:      []Param{{Name: "topic", Description: "what to read; left out: all", Enum: statsTopics}},
	}
}

// Fits reports whether a call names a topic, or none.
func (Stats) Fits(call Call) bool {
	topic := statsTopic(call)
	return topic == "" || topic == "all" || slices.Contains(statsTopics, topic)
}

func statsTopic(call Call) string {
	return strings.ToLower(strings.Trim(call.Only("topic"), "[]`\"'."))
}

// Run reads the stats. The first word of a longer topic ("cpu usage") counts.
func (t Stats) Run(ctx context.Context, call Call) (Result, error) {
	topic := statsTopic(call)
	if words := strings.Fields(topic); len(words) > 0 {
		topic = words[0]
	}
	if topic == "all" {
		topic = ""
	}
	if topic != "" && !slices.Contains(statsTopics, topic) {
		return Result{}, fmt.Errorf("no topic %q; there are %s", excerpt.Shorten(topic, 40), strings.Join(statsTopics, ", "))
	}
	text, err := t.Read(ctx, topic)
	if err != nil {
		return Result{}, fmt.Errorf("reading the machine's state: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return Result{}, errors.New("the machine gave no figures")
	}
	return Result{Text: text}, nil
}
