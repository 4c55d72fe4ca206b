package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// ErrNoTests: the agent has no testing.md.
var ErrNoTests = errors.New("the agent has no tests")

// TestCase is one prompt of an agent's testing.md with what it expects.
type TestCase struct {
	Title   string
	Prompt  string
	Expects []Expect
}

// Tests reads an agent's testing.md:
//
//	## Title
//	What the user says,
//	on as many lines as needed.
//	Expect: contains <text>
//
// Expect tells the other forms. A case with no Expect line is an error: a test that can't fail is none. Errors
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
	cases, err := ParseTests(string(data))
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

// ParseTests reads the text of a testing.md, see Tests.
func ParseTests(text string) ([]TestCase, error) {
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
