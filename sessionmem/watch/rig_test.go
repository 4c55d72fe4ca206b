package watch

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// editorSaves are the ways editors replace a file's content.
var editorSaves = map[string]func(t *testing.T, path, text string){
	"in place": func(t *testing.T, path, text string) { writeFile(t, path, text) },
	"rename over": func(t *testing.T, path, text string) {
		writeFile(t, path+".new", text)
		must(t, os.Rename(path+".new", path))
	},
	"delete and create": func(t *testing.T, path, text string) {
		must(t, os.Remove(path))
		time.Sleep(5 * time.Millisecond)
		writeFile(t, path, text)
	},
	"backup and create": func(t *testing.T, path, text string) {
		must(t, os.Rename(path, path+"~"))
		time.Sleep(5 * time.Millisecond)
		writeFile(t, path, text)
	},
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}
