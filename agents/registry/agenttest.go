package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"mac-stats/sessionmem/excerpt"
)

// ErrNoTests: the agent has no testing.md.
var ErrNoTests = errors.New("the agent has no tests")

// The kinds of Expect lines.
const (
	ExpectContains  = "contains"  // the answer holds the text, without regard to case
	ExpectMatches   = "matches"   // the answer matches the regular expression (RE2)
	ExpectDelegates = "delegates" // the turn handed a task to the agent with that slug
)

// TestCase is one prompt of an agent's testing.md with what it expects.
type TestCase struct {
	Title   string
	Prompt  string
	Expects []Expect
}

// Expect is one "Expect:" line.
type Expect struct {
	Kind string // contains | matches | delegates
	Arg  string
	Line int
}

// Tests reads an agent's testing.md:
//
//	## Title
//	What the user says,
//	on as many lines as needed.
//	Expect: contains <text>
//	Expect: matches <regular expression>
//	Expect: delegates to <slug>
//
// A case with no Expect line is an error: a test that can't fail is none. Errors
// tell the line. ErrNoTests where there is no testing.md.
func (r *Registry) Tests(a Agent) ([]TestCase, error) {
	if !isDir(a.Path) {
		return nil, fmt.Errorf("%w: %s is a single file; make it a folder agent-<id> with a testing.md", ErrNoTests, filepath.Base(a.Path))
	}
	path := filepath.Join(a.Path, "testing.md")
	data, _, err := readOnce(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: write %s", ErrNoTests, path)
	}
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	cases, err := parseTests(string(data))
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return cases, nil
}

// testParser collects cases line by line. Inside a code fence every line belongs
// to the prompt.
type testParser struct {
	cases  []TestCase
	starts []int // line of each case's title
	prompt []string
	fence  string
}

func parseTests(text string) ([]TestCase, error) {
	var p testParser
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	line := 0
	for raw := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
		line++
		if err := p.line(raw, line); err != nil {
			return nil, err
		}
	}
	if p.fence != "" {
		return nil, fmt.Errorf("line %d: the code fence of the last case is not closed", p.starts[len(p.starts)-1])
	}
	if err := p.endCase(); err != nil {
		return nil, err
	}
	if len(p.cases) == 0 {
		return nil, errors.New(`line 1: there is no test case: begin one with "## Title"`)
	}
	return p.cases, nil
}

func (p *testParser) line(raw string, line int) error {
	trimmed := strings.TrimSpace(raw)
	title, isTitle := strings.CutPrefix(raw, "## ")
	switch {
	case p.fence == "" && isTitle:
		if err := p.endCase(); err != nil {
			return err
		}
		p.cases = append(p.cases, TestCase{Title: strings.TrimSpace(title)})
		p.starts = append(p.starts, line)
	case len(p.cases) == 0: // notes above the first case
	case p.fence == "" && isExpect(trimmed):
		e, err := parseExpect(trimmed, line)
		if err != nil {
			return err
		}
		c := &p.cases[len(p.cases)-1]
		c.Expects = append(c.Expects, e)
	default:
		p.setFence(trimmed)
		p.prompt = append(p.prompt, raw)
	}
	return nil
}

// setFence follows the code fences of the prompt.
func (p *testParser) setFence(trimmed string) {
	for _, mark := range []string{"```", "~~~"} {
		switch {
		case p.fence == mark && strings.Trim(trimmed, mark[:1]) == "" && strings.HasPrefix(trimmed, mark):
			p.fence = ""
			return
		case p.fence == "" && strings.HasPrefix(trimmed, mark):
			p.fence = mark
			return
		}
	}
}

func (p *testParser) endCase() error {
	if len(p.cases) == 0 {
		return nil
	}
	c, start := &p.cases[len(p.cases)-1], p.starts[len(p.starts)-1]
	c.Prompt = strings.TrimSpace(strings.Join(p.prompt, "\n"))
	p.prompt = nil
	if c.Prompt == "" {
		return fmt.Errorf("line %d: case %q has no prompt: write below the title what the user says", start, c.Title)
	}
	if len(c.Expects) == 0 {
		return fmt.Errorf("line %d: case %q expects nothing, so it can't fail: add a line such as \"Expect: contains …\"", start, c.Title)
	}
	return nil
}

func isExpect(line string) bool {
	return len(line) >= len("expect:") && strings.EqualFold(line[:len("expect:")], "expect:")
}

var expectForm = regexp.MustCompile(`^(contains|matches|delegates to)\s+(\S.*)$`)

func parseExpect(line string, number int) (Expect, error) {
	body := strings.TrimSpace(line[len("expect:"):])
	m := expectForm.FindStringSubmatch(body)
	if m == nil {
		return Expect{}, fmt.Errorf("line %d: %q: want \"contains <text>\", \"matches <regular expression>\" or \"delegates to <slug>\"", number, body)
	}
	e := Expect{Kind: strings.TrimSuffix(m[1], " to"), Arg: m[2], Line: number}
	if e.Kind == ExpectMatches {
		if _, err := regexp.Compile(e.Arg); err != nil {
			return Expect{}, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return e, nil
}

// String is the line as it is written in testing.md, without "Expect: ".
func (e Expect) String() string {
	if e.Kind == ExpectDelegates {
		return "delegates to " + e.Arg
	}
	return e.Kind + " " + e.Arg
}

// Check compares what a turn gave with what is expected: its answer and the slugs
// of the agents it handed tasks to. The error tells what was found instead.
func (e Expect) Check(answer string, delegated []string) error {
	switch e.Kind {
	case ExpectContains:
		if strings.Contains(strings.ToLower(answer), strings.ToLower(e.Arg)) {
			return nil
		}
		return e.failed("the answer is " + quoteStart(answer))
	case ExpectMatches:
		re, err := regexp.Compile(e.Arg)
		if err != nil {
			return e.failed(err.Error())
		}
		if re.MatchString(answer) {
			return nil
		}
		return e.failed("the answer is " + quoteStart(answer))
	case ExpectDelegates:
		if HasTool(delegated, e.Arg) {
			return nil
		}
		if len(delegated) == 0 {
			return e.failed("no agent was called")
		}
		return e.failed("called were " + strings.Join(delegated, ", "))
	}
	return e.failed(fmt.Sprintf("%q is no kind of expectation", e.Kind))
}

func (e Expect) failed(found string) error {
	return fmt.Errorf("line %d: expected: %s; found: %s", e.Line, e, found)
}

// quoteStart shows the beginning of an answer on one line.
func quoteStart(answer string) string {
	words := strings.Join(strings.Fields(answer), " ")
	if words == "" {
		return "empty"
	}
	return `"` + excerpt.Shorten(words, 200) + `"`
}
