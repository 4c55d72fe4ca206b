package demo

import (
	"encoding/json"
	"strings"

	"github.com/ollama/ollama/api"

	"mac-stats/agents/testkit"
)

// The app also asks a small model for the summary of a long conversation and for titles.
// Each request is recognised by its form.

const (
	endOfConversation = "[end of the conversation: give CONTEXT, LESSONS and PEOPLE]"
	summaryBefore     = "[summary of what was before]\n"

	maxDigestQuestions = 12
	maxDigestQuestion  = 160 // characters
	titleWords         = 6
)

// smallWork answers requests that are not part of the chat; ok is false for others.
func smallWork(req api.ChatRequest) (testkit.Reply, bool) {
	text := testkit.LastUser(req)
	switch {
	case len(req.Tools) > 0:
		return testkit.Reply{}, false
	case strings.HasSuffix(strings.TrimSpace(text), endOfConversation):
		return testkit.Reply{Text: digest(text, len(req.Format) > 0)}, true
	case strings.HasPrefix(testkit.System(req), "You name conversations"):
		return testkit.Reply{Text: title(text)}, true
	}
	return testkit.Reply{}, false
}

// digest summarises a conversation by its questions, in the requested form. A script can't
// learn about people, so there are no lessons.
func digest(material string, asJSON bool) string {
	summary := digestContext(material)
	if !asJSON {
		return "CONTEXT:\n" + summary + "\n\nLESSONS:\n\nPEOPLE:\n"
	}
	body, err := json.Marshal(map[string]any{"context": summary, "lessons": []string{}, "people": []string{}})
	if err != nil {
		return "CONTEXT:\n" + summary
	}
	return string(body)
}

// digestContext lists the questions: those in the previous summary, then the later ones.
func digestContext(material string) string {
	questions := append(before(material), asked(material)...)
	questions = questions[max(len(questions)-maxDigestQuestions, 0):]
	if len(questions) == 0 {
		return digestHead + "Nothing was asked."
	}
	return digestHead + "Asked so far:\n" + strings.Join(questions, "\n")
}

const digestHead = "A look around in the demo: a script answers, no model. "

// before returns the questions in the summary at the beginning of the material.
func before(material string) []string {
	rest, found := strings.CutPrefix(material, summaryBefore)
	if !found {
		return nil
	}
	var lines []string
	rest, _, _ = strings.Cut(rest, "\n\n[")
	for line := range strings.SplitSeq(rest, "\n") {
		if strings.HasPrefix(line, "- ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// asked returns the questions quoted in the material, one per line.
func asked(material string) []string {
	var lines []string
	for i, part := range strings.Split("\n\n"+material, "\n\n[user]\n") {
		if i == 0 {
			continue
		}
		question, _, _ := strings.Cut(part, "\n\n[")
		question = strings.Join(strings.Fields(question), " ")
		if runes := []rune(question); len(runes) > maxDigestQuestion {
			question = string(runes[:maxDigestQuestion]) + "…"
		}
		if question != "" {
			lines = append(lines, "- "+question)
		}
	}
	return lines
}

// title returns the question's first words.
func title(material string) string {
	_, question, _ := strings.Cut("\n"+material, "\nMessage: ")
	question, _, _ = strings.Cut(question, "\nAnswer: ")
	words := strings.Fields(question)
	words = words[:min(len(words), titleWords)]
	return strings.TrimRight(strings.Join(words, " "), ".,;:!?…")
}
