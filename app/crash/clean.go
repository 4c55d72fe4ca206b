package crash

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// words is the runtime's output as far as a report may contain it.
type words struct {
	cause   string
	stack   []string
	dropped int // number of lines left out
}

// The forms of lines that the runtime writes. Only these are kept: any other line may be
// text that a panic was called with.
var (
	goroutineLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^goroutine \d+( gp=0x[0-9a-f]+ m=\w+( mp=0x[0-9a-f]+)?)? \[[\w .,()/:+-]+\]:?$`)
	})
	signalLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\[signal )?SIG[A-Z0-9]+: [\w ()/:=-]+\]?$`)
	})
	stateLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(runtime stack:|PC=0x[0-9a-f]+ m=-?\d+ sigcode=-?\d+( addr=0x[0-9a-f]+)?|signal arrived during (cgo|external code) execution|\[originating from goroutine \d+\]:?|\.\.\.[\w ]+\.\.\.|runtime: goroutine stack exceeds \d+-byte limit|[a-z]{1,2}[0-9a-z]{0,4} +0x[0-9a-f]+)$`)
	})
	funcLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(created by )?[\w./~%·$+@-]+\.[\w./~%·$+@()*\[\]{},-]+(\([0-9a-fx{},_?. ]*\))?( in goroutine \d+)?( fp=0x[0-9a-f]+ sp=0x[0-9a-f]+ pc=0x[0-9a-f]+)?$`)
	})
	fileLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\t\S[^\t]*\.(go|s|c|cpp|h|m):\d+( \+0x[0-9a-f]+)?( fp=0x[0-9a-f]+ sp=0x[0-9a-f]+ pc=0x[0-9a-f]+)?$`)
	})
)

// cleanWords extracts the cause and the stack from the runtime's output. user is the home
// folder, whose name is left out.
func cleanWords(text, user string) words {
	var w words
	inStack := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		inStack = inStack || goroutineLine().MatchString(line) || line == "runtime stack:"
		if kept, ok := cleanLine(line, inStack); ok && len(w.stack) < maxStack {
			if w.cause == "" && isCause(line) {
				w.cause = kept
			}
			w.stack = append(w.stack, hideHome(kept, user))
			continue
		}
		w.dropped++
	}
	if w.cause == "" { // then the runtime reports it only on stderr
		w.cause = "fatal error of the runtime: the stack says where"
	}
	return w
}

func isCause(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || signalLine().MatchString(line)
}

// cleanLine returns a line as a report may contain it, and whether it may at all. Before
// the stack come the values of panics.
func cleanLine(line string, inStack bool) (string, bool) {
	trimmed := strings.TrimLeft(line, "\t")
	for _, what := range []string{"panic: ", "fatal error: "} {
		if value, ok := strings.CutPrefix(trimmed, what); ok && !inStack {
			return what + cleanValue(what, value), true
		}
	}
	if signalLine().MatchString(line) || stateLine().MatchString(line) || line == "" {
		return line, true
	}
	ok := inStack && (goroutineLine().MatchString(line) || funcLine().MatchString(line) || fileLine().MatchString(line))
	return line, ok
}

// The parts of a panic's value that are safe: the runtime's own text, a type's name, or the
// name of the package that panicked.
var (
	runtimeValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(runtime error: |interface conversion: |close of |send on closed channel|all goroutines are asleep|assignment to entry in nil map|sync: )[^"\x60]{0,200}$`)
	})
	typedValue = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\([\w.*/\[\]]+\) |[\w./]+\.[\w\[\]]+\(|[a-z][a-z0-9_/.]{0,40}: )`)
	})
	again = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(` \[recovered[a-z, ]*\]$`)
	})
)

// cleanValue returns the part of a panic's value that may be kept.
func cleanValue(what, value string) string {
	if what == "fatal error: " || runtimeValue().MatchString(value) {
		return value
	}
	tail := again().FindString(value)
	value = strings.TrimSuffix(value, tail)
	head := strings.TrimSpace(typedValue().FindString(value))
	if head != "" {
		head += " "
	}
	return fmt.Sprintf("%s(%d characters that are not kept)%s", head, len([]rune(value)), tail)
}

// secrets matches what looks like a password.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(bearer|basic) \S+` +
		`|://[^/\s:@]+:[^/\s@]+@` +
		`|\b[\w-]*(token|secret|password|passwd|api[_-]?key|authorization)["']?\s*[:=]\s*"?[^\s"&]+` +
		`|\b[\w-]{20,30}\.[\w-]{6,7}\.[\w-]{25,}` +
		`|\b[A-Za-z0-9_+-]{40,}`)
})

func hideSecrets(line string) string { return secrets().ReplaceAllString(line, "[hidden]") }

// hideHome replaces the home folder, which contains a person's name, with ~.
func hideHome(line, user string) string {
	if len(user) < 2 {
		return line
	}
	return strings.ReplaceAll(line, user, "~")
}
