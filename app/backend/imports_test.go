package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// given an export of many conversations, when it is imported, then few of them stay in
// memory
func TestAnImportKeepsFewConversationsInMemory(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	const many = 2*importsHeld + 9
	var all []string
	for i := range many {
		all = append(all, fmt.Sprintf(`{"uuid":"id-%d","name":"Cups","created_at":"2026-01-02T08:00:00Z","chat_messages":[{"text":"Which cup?","sender":"human","created_at":"2026-01-02T08:00:01Z"}]}`, i))
	}
	file := filepath.Join(t.TempDir(), "conversations.json")
	if err := os.WriteFile(file, []byte("["+strings.Join(all, ",")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := b.Import(t.Context(), file, false, nil)
	if err != nil || got.Conversations != many {
		t.Fatalf("imported %+v, %v", got, err)
	}
	if held := b.Store.Sessions().Rest(0); held > importsHeld {
		t.Errorf("%d of %d conversations are held in memory", held, many)
	}
}
