package instance

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestAWindowlessAppReportsErrNoWindow(t *testing.T) {
	dir := t.TempDir()
	run, home := filepath.Join(dir, "run"), filepath.Join(dir, "home")
	var requests []string
	l, err := ListenWindowless(run, home, func(r Request) { requests = append(requests, r.Op) })
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range map[string]error{OpShow: ErrNoWindow, OpNewChat: ErrNoWindow, OpChanged: nil, OpPing: nil} {
		if err := Send(t.Context(), run, home, Request{Op: op}); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", op, err, want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if len(requests) != 1 || requests[0] != OpChanged {
		t.Errorf("handled: %v", requests)
	}
}
