package sessionmem_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/storetest"
	"mac-stats/sessionmem/transcript"

	"github.com/google/go-cmp/cmp"
)

func TestPrivateAttachmentsAreNeverWritten(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	s.SetPrivate("cpu-p")
	a := storetest.Attach(t, s, "cpu-p", "notes.txt", "a secret")
	if data, err := s.ReadAttachment("cpu-p", a); string(data) != "a secret" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if got := storetest.Attached(t, root); len(got) != 0 || s.AttachmentPath("cpu-p", a) != "" {
		t.Errorf("files %v", got)
	}
	if _, err := s.ReadAttachment("cpu-other", a); !errors.Is(err, attach.ErrKept) {
		t.Errorf("another session reads it: %v", err)
	}
	mustAppend(t, s, "cpu-p", user(transcript.WithLinks("x", a)))
	must(t, s.Delete(t.Context(), "cpu-p"))
	if _, err := s.ReadAttachment("cpu-p", a); !errors.Is(err, attach.ErrKept) {
		t.Errorf("it outlives its session: %v", err)
	}
}

func TestTitleOfAMessageWithAttachments(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	a := storetest.Attach(t, s, "cpu-a", "notes.txt", "one")
	mustAppend(t, s, "cpu-a", user(transcript.WithLinks("", a)))
	mustAppend(t, s, "cpu-b", user(a.Link()+"\nWhat is this?"))
	list, err := s.List(t.Context())
	must(t, err)
	got := map[string]string{}
	for _, i := range list {
		got[i.Name] = i.Title
		if strings.Contains(i.Path, a.File[:20]) {
			t.Errorf("the file is called %s", i.Path)
		}
	}
	if diff := cmp.Diff(map[string]string{"cpu-a": "notes.txt", "cpu-b": "What is this?"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAttachmentsThatCannotBeKept(t *testing.T) {
	root := t.TempDir()
	s := openStore(t, root)
	u, err := attach.New(t.Context(), "notes.txt", []byte("one"))
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Attach(ctx, "cpu-a", u); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := s.Attach(t.Context(), "../x", u); !errors.Is(err, transcript.ErrBadName) {
		t.Errorf("to no session: %v", err)
	}
	folder := filepath.Join(root, transcript.SessionDir)
	writeFile(t, filepath.Join(folder, transcript.FilesDir), "a file")
	if _, err := s.Attach(t.Context(), "cpu-a", u); err == nil || !strings.Contains(err.Error(), "keeping notes.txt") {
		t.Errorf("a file in place of the folder: %v", err)
	}
	must(t, os.Rename(folder, folder+".away"))
	if _, err := s.Attach(t.Context(), "cpu-a", u); err == nil {
		t.Error("kept in a folder that is away")
	}
	must(t, os.Rename(folder+".away", folder))
}
