package memory

import (
	"os"
	"testing"
	"time"

	"mac-stats/sessionmem/filetest"
)

var (
	must      = filetest.Must
	readFile  = filetest.Read
	writeFile = filetest.WriteEarlier // otherwise each write by the app waits for a second
)

func second[T any](_ T, err error) error { return err }

// saved saves a file as an editor did a minute ago, so that the save is complete.
func saved(t testing.TB, path, text string) {
	t.Helper()
	filetest.Replace(t, path, text)
	then := time.Now().Add(-time.Minute)
	must(t, os.Chtimes(path, then, then))
}

// learn appends a lesson that a model learned.
func learn(t testing.TB, m *Memory, text string) Written {
	t.Helper()
	w, err := m.Append(t.Context(), Lesson{Text: text, Confidence: 1, Session: "cpu-a"})
	must(t, err)
	return w
}
