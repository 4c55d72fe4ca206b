//go:build unix

package session_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mac-stats/sessionmem/transcript"
)

// A slow disk delays the checkpoint, never the stream.
func TestSetTextDoesNotWaitForTheDisk(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	mustAppend(t, s, "cli-a", user("one"))
	c := s.Session("cli-a").Checkpoint(t.Context(), assistant(""))
	pipe := filepath.Join(root, transcript.SessionDir, transcript.PartialDir, "cli-a."+c.ID()+".md.tmp")
	must(t, syscall.Mkfifo(pipe, 0o600)) // opening it waits for a reader
	c.SetText("a")
	time.Sleep(50 * time.Millisecond) // the first write has begun
	c.SetText("a b")                  // wouldn't return if it waited for the disk
	c.SetText("a b c")
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // lets the write continue; a pipe can't be synced
	must(t, err)
	defer reader.Close()
	if b, err := c.Commit(t.Context(), assistant("a b c")); err != nil || b.Text != "a b c" {
		t.Errorf("%q, %v", b.Text, err)
	}
}
