//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// script runs scripts/install.sh with a stand-in for the built program.
func script(t *testing.T, prefix, path, what string) string {
	t.Helper()
	built := filepath.Join(t.TempDir(), "built")
	if err := os.WriteFile(built, []byte("#!/bin/sh\necho it runs\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("../scripts/install.sh", what)
	cmd.Env = append(os.Environ(), "PREFIX="+prefix, "MAC_STATS_BINARY="+built, "PATH="+os.Getenv("PATH")+path)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", what, err, out)
	}
	return string(out)
}

func TestInstallAndUninstall(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "my $place")
	program := filepath.Join(prefix, "bin", "mac-stats")
	if out := script(t, prefix, "", "install"); !strings.Contains(out, prefix+"/bin is not on your PATH") {
		t.Errorf("off the PATH:\n%s", out)
	}
	if out := script(t, prefix, ":"+prefix+"/bin", "install"); !strings.Contains(out, "Start it with: mac-stats") {
		t.Errorf("on the PATH:\n%s", out)
	}
	if out, err := exec.Command(program).Output(); err != nil || string(out) != "it runs\n" {
		t.Errorf("the program: %q, %v", out, err)
	}
	installed := []string{program}
	if runtime.GOOS == "linux" {
		entry := filepath.Join(prefix, "share/applications/mac-stats.desktop")
		installed = append(installed, entry, filepath.Join(prefix, "share/icons/hicolor/scalable/apps/mac-stats.svg"))
		data, err := os.ReadFile(entry)
		if want := `Exec="` + strings.ReplaceAll(program, "$", `\\$`) + `" --window` + "\n"; err != nil || !strings.Contains(string(data), want) || !strings.HasPrefix(string(data), "[Desktop Entry]\n") {
			t.Errorf("the menu entry, %v:\n%s", err, data)
		}
	}
	script(t, prefix, "", "uninstall")
	for _, path := range installed {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("left behind: %s", path)
		}
	}
	if out := script(t, prefix, "", "uninstall"); !strings.Contains(out, "Nothing of mac-stats is installed") {
		t.Errorf("again:\n%s", out)
	}
}
