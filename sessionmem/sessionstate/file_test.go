package sessionstate

import (
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"mac-stats/sessionmem/filetest"
	"mac-stats/sessionmem/sessiondir"
)

// FuzzStateFile puts random bytes in place of the marks: a pin can still be set, and what was
// an object keeps its unknown keys.
func FuzzStateFile(f *testing.F) {
	for _, seed := range []string{
		"", "null", "[]", `{"sessions":null}`, `{"sessions":{"cpu-a":null}}`, `{"SESSIONS":{"cpu-a":{"pinned":"x"}}}`,
		`{"since":"2026-01-02T03:04:05Z","x":1,"sessions":{"cpu-b":{"read":{"messages":3,"active":"2026-01-02T03:04:05Z"}}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root := t.TempDir()
		filetest.Write(t, filepath.Join(root, stateFile), string(data))
		logger := slog.New(slog.DiscardHandler)
		st := New(sessiondir.New(root, logger), logger, func(string) bool { return false }, nil)
		_, before, perr := parseState(data)
		err := st.SetPinned(t.Context(), "cpu-a", true)
		if errors.Is(perr, ErrNewerState) {
			if !errors.Is(err, ErrNewerState) {
				t.Fatal(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if marks, err := st.Marks(); err != nil || !marks.Pinned("cpu-a") {
			t.Fatalf("not pinned after %s: %v", filetest.Read(t, filepath.Join(root, stateFile)), err)
		}
		var after object
		if err := json.Unmarshal([]byte(filetest.Read(t, filepath.Join(root, stateFile))), &after); err != nil {
			t.Fatal(err)
		}
		for key := range before {
			if _, ok := after[key]; !ok && perr == nil && key != "sessions" {
				t.Errorf("%q is lost", key)
			}
		}
	})
}
