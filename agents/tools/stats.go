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

// Fits returns an error if a call names something else than a topic. The first word of a
// longer topic ("cpu usage") counts.
func (Stats) Fits(call *Call) error {
	_, err := statsTopic(call)
	return err
}

func statsTopic(call *Call) (string, error) {
	topic := strings.ToLower(strings.Trim(call.Only("topic"), "[]`\"'."))
	if words := strings.Fields(topic); len(words) > 0 && len(words) < 3 {
		topic = words[0]
	}
	if topic == "all" {
		topic = ""
	}
	if topic != "" && !slices.Contains(statsTopics, topic) {
		return "", fmt.Errorf("no topic %q; there are %s", excerpt.Shorten(topic, 40), strings.Join(statsTopics, ", "))
	}
	return topic, nil
}

// Run reads the stats.
func (t Stats) Run(ctx context.Context, call *Call) (Result, error) {
	topic, err := statsTopic(call)
	if err != nil {
		return Result{}, err
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
