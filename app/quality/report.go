package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"mac-stats/agents/agenttest"
)

// results holds the results of a run, as they are saved.
type results struct {
	Model   string    `json:"model"` // name and digest
	Small   string    `json:"small_model"`
	Embed   string    `json:"embed_model,omitempty"`
	Tier    string    `json:"tier"`
	Label   string    `json:"label,omitempty"`
	Prompts string    `json:"prompts"` // hash of the prompts and built-in agents
	Seed    int       `json:"seed"`
	Most    int       `json:"most_tokens"`
	Began   time.Time `json:"began"`
	Stopped int       `json:"stopped,omitempty"` // number of tasks planned, if the run was interrupted
	Tasks   []result  `json:"tasks"`
}

// result is the result of one task.
type result struct {
	Category string        `json:"category"`
	Title    string        `json:"title"`
	Passed   bool          `json:"passed"`
	Message  string        `json:"message,omitempty"`
	Failures []string      `json:"failures,omitempty"`
	Answer   string        `json:"answer"`
	Calls    []string      `json:"calls,omitempty"`
	Replies  []answer      `json:"replies"` // by the model, word for word
	Took     time.Duration `json:"took_ns"`

	Plain      bool `json:"plain,omitempty"`       // no summary by the model was accepted: Answer is the one made without a model,
	PlainHolds bool `json:"plain_holds,omitempty"` // which meets all expectations
}

// check compares the outcome with all expectations.
func (r *result) check(t task, o agenttest.Outcome) {
	for _, e := range t.expects {
		if err := e.Check(o); err != nil {
			r.Failures = append(r.Failures, err.Error())
		}
	}
	r.Passed = len(r.Failures) == 0
}

func (res results) write(file string) error {
	data, err := json.MarshalIndent(res, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644) //nolint:gosec // nothing in it is private
}

func readResults(file string) (results, error) {
	var res results
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &res)
	}
	if err != nil {
		return res, fmt.Errorf("read %s: %w", file, err)
	}
	return res, nil
}

func (res results) head() string {
	text := "model    " + res.Model + "\nsmall    " + res.Small + "\n"
	if res.Embed != "" {
		text += "embed    " + res.Embed + "\n"
	}
	text += fmt.Sprintf("tier     %s\nprompts  %s %s\nseed     %d, at most %d tokens an answer\n", res.Tier, res.Prompts, res.Label, res.Seed, res.Most)
	if res.Stopped > 0 {
		text += fmt.Sprintf("stopped  after %d of %d tasks\n", len(res.Tasks), res.Stopped)
	}
	return text
}

// score counts the tasks of a category.
type score struct {
	tasks, passed int
	took          time.Duration
	read, written int // tokens
}

func (s score) percent() string {
	if s.tasks == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(s.passed)/float64(s.tasks))
}

// scores returns the score of each category, in order, and of all tasks at the end.
func (res results) scores() (categories []string, by map[string]score) {
	by = map[string]score{}
	for _, r := range res.Tasks {
		if !slices.Contains(categories, r.Category) {
			categories = append(categories, r.Category)
		}
		for _, c := range []string{r.Category, "all"} {
			s := by[c]
			s.tasks++
			if r.Passed {
				s.passed++
			}
			s.took += r.Took
			for _, a := range r.Replies {
				s.read, s.written = s.read+a.PromptTokens, s.written+a.Tokens
			}
			by[c] = s
		}
	}
	return append(categories, "all"), by
}

// plain counts the summaries made without a model, and those of them that meet all
// expectations.
func (res results) plain() (made, hold int) {
	for _, r := range res.Tasks {
		if r.Plain {
			made++
		}
		if r.PlainHolds {
			hold++
		}
	}
	return made, hold
}

// report prints the table and every failure in full.
func report(out io.Writer, res results) error {
	if _, err := fmt.Fprintf(out, "%s\n", res.head()); err != nil {
		return err
	}
	rows := [][]any{{"CATEGORY", "TASKS", "DONE", "SHARE", "TOOK", "TOKENS READ", "WRITTEN"}}
	categories, by := res.scores()
	for _, c := range categories {
		s := by[c]
		rows = append(rows, []any{c, s.tasks, s.passed, s.percent(), s.took.Round(time.Second), s.read, s.written})
	}
	if err := table(out, rows); err != nil {
		return err
	}
	if plain, holds := res.plain(); plain > 0 {
		if _, err := fmt.Fprintf(out, "\nIn the place of %d Summaries came one without a model; %d of these hold all that was expected.\n", plain, holds); err != nil {
			return err
		}
	}
	for _, r := range res.Tasks {
		if r.Passed {
			continue
		}
		if _, err := io.WriteString(out, r.failure()); err != nil {
			return err
		}
	}
	return nil
}

func table(out io.Writer, rows [][]any) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		line := strings.TrimSuffix(strings.Repeat("%v\t", len(row)), "\t") + "\n"
		if _, err := fmt.Fprintf(w, line, row...); err != nil {
			return err
		}
	}
	return w.Flush()
}

// failure describes a failure in full.
func (r result) failure() string {
	text := "\n── " + r.Category + ": " + r.Title + "\n"
	if r.Message != "" {
		text += inset("asked", r.Message)
	}
	for _, a := range r.Replies {
		text += inset("model", a.Text)
	}
	for _, c := range r.Calls {
		text += inset("called", c)
	}
	if len(r.Replies) == 0 || r.Answer != r.Replies[len(r.Replies)-1].Text {
		text += inset("result", r.Answer)
	}
	for _, f := range r.Failures {
		text += inset("FAILED", f)
	}
	return text
}

func inset(name, text string) string {
	return fmt.Sprintf("%-8s%s\n", name, strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n        "))
}

// compare prints two runs side by side, and the tasks with different results.
func compare(out io.Writer, a, b results) error {
	if _, err := fmt.Fprintf(out, "A\n%s\nB\n%s\n", a.head(), b.head()); err != nil {
		return err
	}
	rows := [][]any{{"CATEGORY", "TASKS", "A", "B", "DIFFERENCE"}}
	categories, was := a.scores()
	more, is := b.scores()
	for _, c := range more {
		if !slices.Contains(categories, c) {
			categories = slices.Insert(categories, len(categories)-1, c)
		}
	}
	for _, c := range categories {
		rows = append(rows, []any{c, max(was[c].tasks, is[c].tasks), was[c].percent(), is[c].percent(), fmt.Sprintf("%+d", is[c].passed-was[c].passed)})
	}
	if err := table(out, rows); err != nil {
		return err
	}
	before := map[string]result{}
	for _, r := range a.Tasks {
		before[r.Category+": "+r.Title] = r
	}
	for _, r := range b.Tasks {
		old, known := before[r.Category+": "+r.Title]
		if !known || old.Passed == r.Passed {
			continue
		}
		verdict, failed := "Done by B alone. A:", old
		if old.Passed {
			verdict, failed = "Done by A alone. B:", r
		}
		if _, err := fmt.Fprintf(out, "\n%s%s", verdict, failed.failure()); err != nil {
			return err
		}
	}
	return nil
}
