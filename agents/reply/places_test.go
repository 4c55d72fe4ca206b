package reply

import (
	"slices"
	"strings"
	"testing"
)

// lines puts a sign before each line.
func lines(text, sign string) string { return sign + strings.ReplaceAll(text, "\n", "\n"+sign) }

// places are where a form is shown, rejected or cut, and never meant.
var places = []struct {
	name string
	put  func(form string) string
	// undecidable is what in a form ends the place, so that nobody can tell.
	undecidable string
}{
	{"in a fence with text behind", func(f string) string { return "So it is written.\n\n````\n" + f + "\n````\n\nThat is all." }, ""},
	{"in a fence of code", func(f string) string { return "For example:\n\n````python\nx = 1\n" + f + "\n````" }, ""},
	{"in a fence of tildes", func(f string) string { return "For example:\n~~~~\n" + f + "\n~~~~" }, ""},
	{"in a fence that never closes", func(f string) string { return "For example:\n````\n" + f }, ""},
	{"in inline code", func(f string) string { return "The form is ````` " + f + " ````` here." }, ""},
	{"in inline code at the end", func(f string) string { return "The form is `````" + f + "`````" }, ""},
	{"in a quotation", func(f string) string { return "She wrote:\n\n" + lines(f, "> ") }, ""},
	{"in a quotation with text behind", func(f string) string { return lines(f, "> ") + "\n\nThat is what she wrote." }, ""},
	{"indented", func(f string) string { return "So it is written.\n\n" + lines(f, "    ") }, ""},
	{"indented by tabs", func(f string) string { return "So it is written.\n\n" + lines(f, "\t") + "\n\nThat is all." }, ""},
	{"in a row of a table", func(f string) string {
		return "| form | use |\n|---|---|\n| " + strings.ReplaceAll(f, "\n", " ") + " | load |"
	}, ""},
	{"in a thought", func(f string) string { return "<think>I could\n" + f + "\nbut no.</think>\nThe answer is 42." }, ""},
	{"last in a thought", func(f string) string { return "<think>I could\n" + f + "</think>\nThe answer is 42." }, ""},
	{"in a thought without its beginning", func(f string) string { return "I could.\n" + f + "\nNo.\n</think>\n\nThe answer is 42." }, ""},
	{"in a thought of another word", func(f string) string { return "<reasoning>\n" + f + "\n</reasoning>The answer is 42." }, ""},
	{"in brackets of a thought", func(f string) string { return "[THINK]\n" + f + "\n[/THINK]The answer is 42." }, ""},
	{"in harmony's analysis", func(f string) string {
		return "<|channel|>analysis<|message|>I could.\n" + f + "\nNo.<|end|><|start|>assistant<|channel|>final<|message|>The answer is 42.<|return|>"
	}, "<|end|>"},
	{"in a thought that goes on", func(f string) string { return "<think>I could\n" + f + "\nbut I will not do that." }, "</think> </seed:think> [/THINK] <|END_THINKING|> <|thought_end|>"},
	{"in quotation marks", func(f string) string { return "The form is \"" + f + "\" and no more." }, ""},
	{"in quotation marks at the end", func(f string) string { return "The form is “" + f + "”" }, ""},
	{"in the quotation marks of others", func(f string) string { return "Die Form ist „" + f + "“ und sonst nichts." }, ""},
	{"in corner brackets", func(f string) string { return "形式は「" + f + "」です。" }, ""},
	{"in parentheses", func(f string) string { return "I could call it (" + f + "), but it is not needed." }, ""},
	{"as an example", func(f string) string { return "You write it like this:\n" + f + "\nThat is only an example." }, ""},
	{"as an example after a blank line", func(f string) string { return "The form is as follows:\n\n" + f + "\n\nI did not use it." }, ""},
	{"as an example with a wide colon", func(f string) string { return "形式如下：\n" + f + "\n这只是一个例子。" }, ""},
}

// Every form in every place where nothing may run.
func TestNothingRunsWhereItIsOnlyShown(t *testing.T) {
	tried, run := 0, 0
	for _, p := range places {
		for n, f := range allForms() {
			if testing.Short() && n%4 != 0 || slices.ContainsFunc(strings.Fields(p.undecidable), func(ends string) bool { return strings.Contains(f.text, ends) }) {
				continue
			}
			reply := p.put(f.text)
			parts := Parse(reply, "stop", Marks{}, testTools(), nil)
			checkCover(t, reply, parts)
			tried++
			if got := callText(parts); got != "" {
				run++
				t.Errorf("%s %s: %q runs %s", f.name, p.name, reply, got)
			}
		}
	}
	t.Logf("%d of %d run", run, tried)
}

// A reply that was cut has no calls.
func TestNothingRunsOfACutReply(t *testing.T) {
	for _, f := range allForms() {
		for _, reason := range []string{"length", "loop", "time"} {
			if got := callText(Parse(f.text, reason, Marks{}, testTools(), nil)); got != "" {
				t.Errorf("%s, ended by %s: runs %s", f.name, reason, got)
			}
		}
	}
}

// Every form on a page against every form in the reply.
func TestNothingRunsThatAPageHolds(t *testing.T) {
	all := allForms()
	said := map[string]string{} // what the calls of a form say, in any form
	for _, f := range all {
		said[f.want] = wordsOf(f.want)
	}
	for n, on := range all {
		if on.want == "" || testing.Short() && n%16 != 0 {
			continue
		}
		quoted := []Quoted{{Text: "Notes of a stranger.\n\n" + on.text + "\n\nThe end."}}
		for _, f := range all {
			if said[f.want] != said[on.want] {
				continue
			}
			if got := callText(Parse(f.text, "stop", Marks{}, testTools(), quoted)); got != "" {
				t.Errorf("%s on a page, %s in the reply: runs %s", on.name, f.name, got)
			}
		}
	}
}

// wordsOf returns what calls say, without what only one form has.
func wordsOf(calls string) string {
	return letters(strings.NewReplacer(`"topic":`, "", `"agent":`, "", `"task":`, "", `"lesson":`, "", `"text":`, "", `"url":`, "", `\n`, "").Replace(calls))
}
