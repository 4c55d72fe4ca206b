package sessionmem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestForgetLearntKeepsWhatWasWrittenByHand(t *testing.T) {
	tests := map[string]struct{ before, after string }{
		"given what was learnt alone":   {"# Anna\n\n- likes tea <!-- 2026-11-21 discord-200 -->\n", ""},
		"given a line by hand":          {"- likes tea <!-- 2026-11-21 discord-200 -->\n- owes me ten euros\n", "- owes me ten euros\n"},
		"given a lesson of the owner":   {"- is my sister <!-- 2026-11-21 cpu-k1 -->\r\n", "- is my sister <!-- 2026-11-21 cpu-k1 -->\r\n"},
		"given a paragraph by hand":     {"She lives next door.\n\n- likes tea <!-- 2026-11-21 discord-200 -->\n", "She lives next door.\n\n"},
		"given nothing that was learnt": {"# Anna\n", "# Anna\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			m := NewMemory(MemoryConfig{Root: root})
			file := filepath.Join(root, "memory", "user-301.md")
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(tt.before), 0o600)); err != nil {
				t.Fatal(err)
			}
			if _, err := m.ForgetLearnt(t.Context(), Target{Kind: TargetPerson, ID: "301"}); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if string(got) != tt.after || errors.Is(err, fs.ErrNotExist) != (tt.after == "") {
				t.Errorf("the file is %q, %v, want %q", got, err, tt.after)
			}
		})
	}
}
