package main

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mac-stats/agents/agenttest"
)

// files holds the tasks, and agents that are similar to the built-in ones to make delegation
// harder.
//
//go:embed tasks agents
var files embed.FS

// The categories that are more than a message of the owner.
const (
	categoryDiscord    = "discord"    // a message by somebody else in a channel
	categoryCompaction = "compaction" // a conversation; the expectations apply to its summary
	categoryTitles     = "titles"     // a message; the expectations apply to the session's title
)

// task is one case. In its prompt, some lines begin a part that extends to the next one:
//
//	Agent: <slug>     the agent asked; default: the orchestrator
//	Memory:           the contents of the memory
//	File: <name>      an attached text file
//	User:             part of a conversation to summarize
//	Assistant:
//	Reply:            what a perfect model says, one per call: for testing the tasks
//	                  themselves; never sent to a real model
//
// The text before the first part is the user's message.
type task struct {
	category, title string
	message         string
	agent, memory   string
	fileName, file  string
	talk            []string // beginning with the user's message, then the answer, and so on
	replies         []string
	expects         []agenttest.Expect
}

var partForm = regexp.MustCompile(`^(Agent|Memory|File|User|Assistant|Reply):\s*(.*)$`)

// loadTasks returns all tasks, with titles last because they wait for background work.
func loadTasks() ([]task, error) {
	entries, err := files.ReadDir("tasks")
	if err != nil {
		return nil, err
	}
	var list []task
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("tasks", e.Name()))
		if err != nil {
			return nil, err
		}
		cases, err := agenttest.Parse(string(data))
		if err != nil {
			return nil, fmt.Errorf("%s %w", e.Name(), err)
		}
		for _, c := range cases {
			list = append(list, newTask(strings.TrimSuffix(e.Name(), ".md"), c))
		}
	}
	slices.SortStableFunc(list, func(a, b task) int {
		return strings.Count(a.category, categoryTitles) - strings.Count(b.category, categoryTitles)
	})
	return list, nil
}

func newTask(category string, c agenttest.Case) task {
	t := task{category: category, title: c.Title, expects: c.Expects}
	var message string
	part := &message
	begin := func(list *[]string) { *list = append(*list, ""); part = &(*list)[len(*list)-1] }
	for line := range strings.SplitSeq(c.Prompt, "\n") {
		m := partForm.FindStringSubmatch(line)
		if m == nil {
			*part += line + "\n"
			continue
		}
		switch m[1] {
		case "Agent":
			part = &t.agent
		case "Memory":
			part = &t.memory
		case "File":
			t.fileName, part = m[2], &t.file
			continue
		case "User", "Assistant":
			begin(&t.talk)
		case "Reply":
			begin(&t.replies)
		}
		*part += m[2] + "\n"
	}
	t.message = message
	for _, text := range []*string{&t.message, &t.agent, &t.memory, &t.file} {
		*text = strings.TrimSpace(*text)
	}
	for _, texts := range [][]string{t.talk, t.replies} {
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
	}
	return t
}

// selectTasks returns every every-th task of some categories; "" means all.
func selectTasks(list []task, only string, every int) []task {
	var some []task
	n := 0
	for _, t := range list {
		if only != "" && !slices.Contains(strings.Split(only, ","), t.category) {
			continue
		}
		if n%max(every, 1) == 0 {
			some = append(some, t)
		}
		n++
	}
	return some
}
