package autostart

import (
	"runtime"
	"strings"
)

// system is what newEntry is asked for.
const system = runtime.GOOS

// desktopFile is an autostart file of the freedesktop desktops. It starts the app
// without its window: the icon is the way in.
type desktopFile struct{}

func (desktopFile) text(program string) string {
	return "[Desktop Entry]\n" +
		"Type=Application\n" +
		"Name=mac-stats\n" +
		"Comment=The machine's vitals and a chat with agents on your own Ollama\n" +
		"Exec=" + quoteExec(program) + "\n" +
		"Icon=mac-stats\n" +
		"Terminal=false\n" +
		"StartupNotify=false\n" +
		"X-GNOME-Autostart-enabled=true\n"
}

// on: Hidden means "as if it were not there", and GNOME has a key of its own.
func (f desktopFile) on(text string) bool {
	return !strings.EqualFold(f.value(text, "Hidden"), "true") && !strings.EqualFold(f.value(text, "X-GNOME-Autostart-enabled"), "false")
}

func (f desktopFile) program(text string) string { return firstArgument(f.value(text, "Exec")) }

func (desktopFile) withProgram(text, program string) string {
	var b strings.Builder
	inEntry, done := false, false
	for line := range strings.Lines(text) {
		inEntry = entryGroup(line, inEntry)
		key, old, ok := strings.Cut(line, "=")
		if inEntry && !done && ok && strings.TrimSpace(key) == "Exec" {
			done = true
			rest := strings.TrimPrefix(unescape(strings.TrimSpace(old)), rawArgument(unescape(strings.TrimSpace(old))))
			line = "Exec=" + quoteExec(program) + strings.ReplaceAll(rest, `\`, `\\`) + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// entryGroup reports whether the lines from this one on are of the group that counts.
func entryGroup(line string, in bool) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "[") {
		return line == "[Desktop Entry]"
	}
	return in
}

// value reads a key of the group that counts; "" where it is not there.
func (desktopFile) value(text, key string) string {
	in := false
	for line := range strings.Lines(text) {
		in = entryGroup(line, in)
		k, v, ok := strings.Cut(line, "=")
		if in && ok && strings.TrimSpace(k) == key {
			return unescape(strings.TrimSpace(v))
		}
	}
	return ""
}

// quoteExec writes a path as Exec takes it: quoted, % doubled, and all of it escaped
// once more, because it is a string of the file's format too.
func quoteExec(program string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "%", "%%").Replace(program)
	return `"` + strings.ReplaceAll(quoted, `\`, `\\`) + `"`
}

// unescape takes back what the file's format escapes.
func unescape(value string) string {
	return strings.NewReplacer(`\\`, `\`, `\s`, " ", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(value)
}

// rawArgument is the first argument of a command line as it stands there.
func rawArgument(command string) string {
	if !strings.HasPrefix(command, `"`) {
		word, _, _ := strings.Cut(command, " ")
		return word
	}
	for i := 1; i < len(command); i++ {
		switch command[i] {
		case '\\':
			i++
		case '"':
			return command[:i+1]
		}
	}
	return command
}

// firstArgument is the program a command line starts; "" where it is not a path.
func firstArgument(command string) string {
	word := rawArgument(command)
	if inner, ok := strings.CutPrefix(word, `"`); ok {
		inner = strings.TrimSuffix(inner, `"`)
		word = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`").Replace(inner)
	}
	word = strings.ReplaceAll(word, "%%", "%")
	if !strings.HasPrefix(word, "/") {
		return ""
	}
	return word
}
