package autostart

import (
	"runtime"
	"strings"
)

// system is the system that newEntry is called with.
const system = runtime.GOOS

// desktopFile is an autostart file of the freedesktop standard. It starts the app without
// its window; the icon is the way in.
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

// on checks Hidden, which means "as if the file did not exist", and a key of GNOME's own.
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

// entryGroup reports whether the lines from this one on belong to the desktop entry's
// group.
func entryGroup(line string, in bool) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "[") {
		return line == "[Desktop Entry]"
	}
	return in
}

// value returns a key of the desktop entry's group; "" if it is missing.
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

// quoteExec formats a path for Exec: quoted, with % doubled, and escaped once more, because
// it is also a string in the file's format.
func quoteExec(program string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`", "%", "%%").Replace(program)
	return `"` + strings.ReplaceAll(quoted, `\`, `\\`) + `"`
}

// unescape reverses the escapes of the file's format.
func unescape(value string) string {
	return strings.NewReplacer(`\\`, `\`, `\s`, " ", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(value)
}

// rawArgument returns a command line's first argument, still quoted.
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

// firstArgument returns the program that a command line starts; "" if it isn't a path.
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
