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

// files are the tasks, and agents that are there beside the shipped ones, to be confused
// with them.
//
//go:embed tasks agents
var files embed.FS

// The categories that are no plain message of the owner.
const (
	categoryDiscord    = "discord"    // a message of a stranger in a channel
	categoryCompaction = "compaction" // a conversation; what is expected is expected of its Summary
	categoryTitles     = "titles"     // a message; what is expected is expected of the session's title
)

// task is one case. In its prompt some lines begin a part, which goes on to the next one:
//
//	Agent: <slug>     who is asked, the orchestrator where nobody is named
//	Memory:           what the assistant remembers already
//	File: <name>      a text file that is attached
//	User:             of a conversation to be summarised
//	Assistant:
//	Reply:            what a perfect model says: one for each call. It is there to test the
//	                  tasks themselves, and never reaches a real model
//
// What stands before the first of them is the user's message.
type task struct {
	category, title string
	message         string
	agent, memory   string
	fileName, file  string
	talk            []string // the user's message first, then the answer, and so on
	replies         []string
	expects         []agenttest.Expect
}

var partForm = regexp.MustCompile(`^(Agent|Memory|File|User|Assistant|Reply):\s*(.*)$`)

// loadTasks reads all tasks, titles last: they wait for work in the background.
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

// chosen are the tasks of some categories, all of them for "", and of these the first of
// so many.
func chosen(list []task, only string, every int) []task {
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
