package crash

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"mac-stats/sessionmem/wholefile"
)

// Limits of a report, because a stack of all goroutines and a log can be long.
const (
	maxReport   = 4 << 20 // bytes
	maxPart     = 1 << 20 // bytes read of the runtime's output
	maxStack    = 400     // lines
	maxLogLines = 40
	maxLogBytes = 64 << 10 // bytes read from the end of the log
	maxLine     = 300      // characters of a log line
)

// A part begins with lines about the process; after this line comes the runtime's output.
const (
	headEnd      = "---\n"
	versionLabel = "version: "
	systemLabel  = "system: "
	startedLabel = "started: "
	causeLabel   = "cause:   "
)

func headOf(version string, now time.Time) string {
	return versionLabel + oneLine(version) + "\n" +
		systemLabel + runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version() + "\n" +
		startedLabel + now.Format(time.RFC3339) + "\n" + headEnd
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// left is the content of a part.
type left struct {
	version, system string
	started         time.Time
	words           string // the runtime's output; "" if the process did not crash
}

func readPart(path string) (left, error) {
	f, err := wholefile.Open(path)
	if err != nil {
		return left{}, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, maxPart))
	if err != nil {
		return left{}, err
	}
	return parsePart(string(data)), nil
}

// parsePart parses a part. One that was cut off before the runtime's output has none.
func parsePart(text string) left {
	head, words, _ := strings.Cut(text, "\n"+headEnd)
	l := left{words: words}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if v, ok := strings.CutPrefix(line, versionLabel); ok {
			l.version = v
		}
		if v, ok := strings.CutPrefix(line, systemLabel); ok {
			l.system = v
		}
		if v, ok := strings.CutPrefix(line, startedLabel); ok {
			l.started, _ = time.Parse(time.RFC3339, v) // zero without a valid time
		}
	}
	return l
}

// reportOf writes a report. home is the data folder with the log.
func reportOf(l left, at time.Time, home string) string {
	user, err := os.UserHomeDir()
	if err != nil {
		user = ""
	}
	w := cleanWords(l.words, user)
	var b strings.Builder
	fmt.Fprintf(&b, "mac-stats stopped unexpectedly\n\n%s%s\ntime:    %s\nversion: %s\nsystem:  %s\n",
		causeLabel, w.cause, at.Format(time.RFC3339), l.version, l.system)
	if !l.started.IsZero() {
		fmt.Fprintf(&b, "ran for: %s\n", at.Sub(l.started).Round(time.Second))
	}
	b.WriteString("\nNo text of a conversation and no password is in here.\n\nStack\n\n")
	b.WriteString(strings.Join(w.stack, "\n"))
	if w.dropped > 0 {
		fmt.Fprintf(&b, "\n(%d lines were left out)", w.dropped)
	}
	b.WriteString("\n\nLast lines of the log\n\n")
	lines, err := logTail(filepath.Join(home, "logs", "mac-stats.log"), at, user)
	if err != nil {
		lines = []string{"(the log can't be read: " + oneLine(err.Error()) + ")"}
	}
	b.WriteString(strings.Join(lines, "\n"))
	b.WriteString("\n")
	return b.String()
}

// logTail returns the last lines of the log before the crash. It leaves out lines of debug
// level, which may contain text of a conversation.
func logTail(path string, until time.Time, user string) ([]string, error) {
	f, err := wholefile.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-maxLogBytes)
	data, err := io.ReadAll(io.NewSectionReader(f, from, maxLogBytes))
	if err != nil {
		return nil, err
	}
	text := string(data)
	if from > 0 {
		_, text, _ = strings.Cut(text, "\n") // the first line may be incomplete
	}
	var lines []string
	for line := range strings.Lines(text) {
		if line = cleanLogLine(strings.TrimRight(line, "\r\n"), until, user); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-maxLogLines):], nil
}

// cleanLogLine returns a line of the log as a report may contain it; "" if it may not.
func cleanLogLine(line string, until time.Time, user string) string {
	stampText, ok := strings.CutPrefix(line, "time=")
	if !ok {
		return ""
	}
	stampText, rest, _ := strings.Cut(stampText, " ")
	at, err := time.Parse(time.RFC3339, stampText)
	if err != nil || at.After(until.Add(time.Second)) || !strings.HasPrefix(rest, "level=") || strings.HasPrefix(rest, "level=DEBUG") {
		return ""
	}
	line = hideSecrets(hideHome(line, user))
	if r := []rune(line); len(r) > maxLine {
		line = string(r[:maxLine]) + "…"
	}
	return line
}
