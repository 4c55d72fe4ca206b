package autostart

import "strings"

// runValue is a command line in the Run key of the Windows registry.
type runValue struct{}

func (runValue) text(program string) string { return `"` + program + `"` } // a path contains no quotes

func (runValue) on(text string) bool { return text != "" }

func (runValue) program(text string) string {
	program, _ := cutProgram(text)
	return program
}

func (runValue) withProgram(text, program string) string {
	_, arguments := cutProgram(text)
	return runValue{}.text(program) + arguments
}

// cutProgram splits a command line after the program, which may be quoted.
func cutProgram(text string) (program, arguments string) {
	if inner, ok := strings.CutPrefix(text, `"`); ok {
		program, arguments, _ = strings.Cut(inner, `"`)
		return program, arguments
	}
	if i := strings.IndexByte(text, ' '); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
