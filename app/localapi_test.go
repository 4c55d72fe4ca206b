package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mac-stats/app/backend"
)

func TestTheLocalAPIFollowsItsSetting(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	tests := []struct {
		name   string
		toml   string
		token  bool
		notice string
	}{
		{"not asked for", "", false, ""},
		{"on a socket", "[api]\nenabled = true\n", true, ""},
		{"on a port", "[api]\nenabled = true\nlisten = \"127.0.0.1:0\"\n", true, ""},
		{"on a port that is taken", "[api]\nenabled = true\nlisten = \"" + taken.Addr().String() + "\"\n", true, "the local API is not offered: listen on " + taken.Addr().String()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(tt.toml), 0o600); err != nil {
				t.Fatal(err)
			}
			b, err := backend.Open(t.Context(), backend.Options{Environ: []string{
				"HOME=" + dir, "MAC_STATS_HOME=" + home, "MAC_STATS_CACHE=" + filepath.Join(dir, "cache"), "OLLAMA_HOST=" + taken.Addr().String(),
			}})
			if err != nil {
				t.Fatal(err)
			}
			local := serveAPI(b)
			notice := ""
			for _, n := range b.Notices() {
				if n.Kind == backend.NoticeAPI {
					notice = n.Text
				}
			}
			if !strings.HasPrefix(notice, tt.notice) || (tt.notice == "") != (notice == "") {
				t.Errorf("notice %q, want %q", notice, tt.notice)
			}
			if _, err := os.Stat(filepath.Join(home, "api-token")); (err == nil) != tt.token {
				t.Errorf("the token: %v", err)
			}
			if err := local.Close(); err != nil {
				t.Error(err)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
