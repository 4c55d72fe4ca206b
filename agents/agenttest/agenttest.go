// Package agenttest reads the tests of an agent, its testing.md, and checks a turn
// against what they expect.
//
// It never runs a turn: the caller does, and hands over its Outcome. The command
// `agents test` and the quality runs use it.
package agenttest

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"mac-stats/agents/registry"
)

// ErrNoTests means that an agent has no testing.md.
var ErrNoTests = errors.New("the agent has no tests")

// Case is one prompt of a testing.md and what is expected of the answer.
type Case struct {
	Title   string
	Prompt  string
	Expects []Expect
}

// Read reads an agent's testing.md:
//
//	## Title
//	What the user says,
//	on as many lines as needed.
//	Expect: contains <text>
//
// Expect lists the other forms. A case without an Expect line is an error, because it
// couldn't fail. Errors name the line. The error is ErrNoTests if there is no
// testing.md.
func Read(r *registry.Registry, a registry.Agent) ([]Case, error) {
	if !a.HasFolder() {
		return nil, fmt.Errorf("%w: %s is a single file; make it a folder agent-<id> with a testing.md", ErrNoTests, filepath.Base(a.Path))
	}
	path := filepath.Join(a.Path, "testing.md")
	text, err := r.Text(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: write %s", ErrNoTests, path)
	}
	if err != nil {
		return nil, fmt.Errorf("read tests: %w", err)
	}
	cases, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return cases, nil
}

// parser collects cases line by line. Inside a code fence, every line belongs to the
// prompt.
type parser struct {
	cases  []Case
	starts []int // line of each case's title
	prompt []string
	fence  string
}

// Parse reads the text of a testing.md; Read describes the format.
func Parse(text string) ([]Case, error) {
	var p parser
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

func (p *parser) line(raw string, line int) error {
	trimmed := strings.TrimSpace(raw)
	title, isTitle := strings.CutPrefix(raw, "## ")
	switch {
	case p.fence == "" && isTitle:
		if err := p.endCase(); err != nil {
			return err
		}
		p.cases = append(p.cases, Case{Title: strings.TrimSpace(title)})
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

// setFence keeps track of the code fences in a prompt.
func (p *parser) setFence(trimmed string) {
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

func (p *parser) endCase() error {
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
