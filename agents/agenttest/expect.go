package agenttest

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"mac-stats/agents/registry"
	"mac-stats/sessionmem/excerpt"
	"mac-stats/sessionmem/recall/analysis"
)

// Outcome is the result of a turn.
type Outcome struct {
	Answer    string
	Calls     []Call   // the tools that ran, in order
	Delegated []string // slugs of the agents that were given a task; skill:<name> for a skill
	Rounds    int      // model calls, without those of other agents
}

// Call is one run of a tool.
type Call struct{ Tool, Arg string }

func (c Call) String() string { return strings.TrimSpace(c.Tool + " " + excerpt.OneLine(c.Arg)) }

// Expect is one "Expect:" line. Its forms, with the negation in brackets:
//
//	contains <text>                  in the answer, without regard to case [doesn't contain <text>]
//	matches <regular expression>     RE2, of the answer [doesn't match …]
//	calls <TOOL> [text]              a tool, with the text in its argument [doesn't call …]
//	calls nothing                    no tool, agent or skill
//	delegates to <slug>              an agent or skill:<name> [doesn't delegate to …]
//	language <code>                  of the answer: en, de, ja …
//	at most <number> <unit>          words, lines or characters of the answer; rounds: calls of the model
//	at least <number> <unit>
type Expect struct {
	Line int

	text  string // as written, without "Expect:"
	check func(Outcome) error
}

// String returns the line as it stands in testing.md, without "Expect: ".
func (e Expect) String() string { return e.text }

// Check compares a turn with the expectation. The error says what was found instead.
func (e Expect) Check(o Outcome) error {
	if err := e.check(o); err != nil {
		return fmt.Errorf("line %d: expected: %s; found: %w", e.Line, e, err)
	}
	return nil
}

func isExpect(line string) bool {
	return len(line) >= len("expect:") && strings.EqualFold(line[:len("expect:")], "expect:")
}

// expectForms returns the forms of an Expect line, each with the function that builds
// its check.
var expectForms = sync.OnceValue(func() []expectForm {
	return []expectForm{
		{regexp.MustCompile(`^contains\s+(.+)$`), expectContains},
		{regexp.MustCompile(`^doesn't contain\s+(.+)$`), negated(expectContains, inAnswer)},
		{regexp.MustCompile(`^matches\s+(.+)$`), expectMatches},
		{regexp.MustCompile(`^doesn't match\s+(.+)$`), negated(expectMatches, inAnswer)},
		{regexp.MustCompile(`^calls\s+nothing$`), expectNoCalls},
		{regexp.MustCompile(`^calls\s+(\S+)(?:\s+(.+))?$`), expectCalls},
		{regexp.MustCompile(`^doesn't call\s+(\S+)(?:\s+(.+))?$`), negated(expectCalls, inCalls)},
		{regexp.MustCompile(`^delegates to\s+(\S+)$`), expectDelegates},
		{regexp.MustCompile(`^doesn't delegate to\s+(\S+)$`), negated(expectDelegates, inCalls)},
		{regexp.MustCompile(`^language\s+(\S+)$`), expectLanguage},
		{regexp.MustCompile(`^at (most|least)\s+(\d{1,6})\s+(words?|lines?|characters?|rounds?)$`), expectLength},
	}
})

type expectForm struct {
	form *regexp.Regexp
	make func(args []string) (func(Outcome) error, error)
}

func parseExpect(line string, number int) (Expect, error) {
	e := Expect{Line: number, text: strings.ReplaceAll(strings.TrimSpace(line[len("expect:"):]), "’", "'")}
	for _, f := range expectForms() {
		m := f.form.FindStringSubmatch(e.text)
		if m == nil {
			continue
		}
		var err error
		if e.check, err = f.make(m[1:]); err != nil {
			return Expect{}, fmt.Errorf("line %d: %w", number, err)
		}
		return e, nil
	}
	return Expect{}, fmt.Errorf("line %d: %q: want \"contains <text>\", \"matches <regular expression>\", \"calls <TOOL>\", \"calls nothing\", \"delegates to <slug>\", \"language <code>\" or \"at most <number> words\", or one of them with doesn't", number, e.text)
}

// negated returns the opposite of a check; found describes what was found when it fails.
func negated(of func([]string) (func(Outcome) error, error), found func(Outcome) error) func([]string) (func(Outcome) error, error) {
	return func(args []string) (func(Outcome) error, error) {
		check, err := of(args)
		return func(o Outcome) error {
			if check(o) != nil {
				return nil
			}
			return found(o)
		}, err
	}
}

func inAnswer(o Outcome) error { return errors.New("the answer is " + quoteStart(o.Answer)) }

// inCalls lists the tools and agents that were called.
func inCalls(o Outcome) error {
	var list []string
	for _, c := range o.Calls {
		list = append(list, excerpt.Shorten(c.String(), 100))
	}
	list = append(list, o.Delegated...)
	if len(list) == 0 {
		return errors.New("nothing was called")
	}
	return errors.New("called were " + strings.Join(list, ", "))
}

func expectContains(args []string) (func(Outcome) error, error) {
	return func(o Outcome) error {
		if strings.Contains(strings.ToLower(o.Answer), strings.ToLower(args[0])) {
			return nil
		}
		return inAnswer(o)
	}, nil
}

func expectMatches(args []string) (func(Outcome) error, error) {
	re, err := regexp.Compile(args[0])
	return func(o Outcome) error {
		if re.MatchString(o.Answer) {
			return nil
		}
		return inAnswer(o)
	}, err
}

func expectNoCalls([]string) (func(Outcome) error, error) {
	return func(o Outcome) error {
		if len(o.Calls)+len(o.Delegated) == 0 {
			return nil
		}
		return inCalls(o)
	}, nil
}

func expectCalls(args []string) (func(Outcome) error, error) {
	if args[0] = strings.ToUpper(args[0]); args[0] == registry.ToolAgent || args[0] == registry.ToolSkill {
		return nil, errors.New("an agent or a skill is expected with \"delegates to <slug>\", \"delegates to skill:<name>\"")
	}
	if !registry.HasTool(registry.KnownTools, args[0]) {
		return nil, fmt.Errorf("%s is no tool; the tools are %s", args[0], strings.Join(registry.KnownTools, ", "))
	}
	return func(o Outcome) error {
		for _, c := range o.Calls {
			if strings.EqualFold(c.Tool, args[0]) && strings.Contains(strings.ToLower(c.Arg), strings.ToLower(args[1])) {
				return nil
			}
		}
		return inCalls(o)
	}, nil
}

func expectDelegates(args []string) (func(Outcome) error, error) {
	return func(o Outcome) error {
		if registry.HasTool(o.Delegated, args[0]) {
			return nil
		}
		return inCalls(o)
	}, nil
}

func expectLanguage(args []string) (func(Outcome) error, error) {
	if !analysis.KnowsLanguage(args[0]) {
		return nil, fmt.Errorf("%q is no language that can be told: use a code such as en, de, fr, ja", args[0])
	}
	return func(o Outcome) error {
		switch got := analysis.NewAnalyzer().Language(o.Answer); got {
		case args[0]:
			return nil
		case "":
			return fmt.Errorf("no language that can be told: %w", inAnswer(o))
		default:
			return fmt.Errorf("%s: %w", got, inAnswer(o))
		}
	}, nil
}

func expectLength(args []string) (func(Outcome) error, error) {
	number, err := strconv.Atoi(args[1])
	unit := strings.TrimSuffix(args[2], "s")
	return func(o Outcome) error {
		n := o.Rounds
		switch unit {
		case "word":
			n = len(strings.Fields(o.Answer))
		case "line":
			n = len(strings.FieldsFunc(o.Answer, func(r rune) bool { return r == '\n' }))
		case "character":
			n = utf8.RuneCountInString(o.Answer)
		}
		if args[0] == "most" && n <= number || args[0] == "least" && n >= number {
			return nil
		}
		return fmt.Errorf("%d %ss", n, unit)
	}, err
}

// quoteStart returns the beginning of an answer as one quoted line.
func quoteStart(answer string) string {
	words := excerpt.OneLine(answer)
	if words == "" {
		return "empty"
	}
	return `"` + excerpt.Shorten(words, 200) + `"`
}
