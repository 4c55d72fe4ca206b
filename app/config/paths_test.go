package config

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindPaths(t *testing.T) {
	tests := []struct {
		name string
		env  map[string]string
		want Paths
	}{
		{
			"by the home folder",
			map[string]string{"HOME": "/home/ann"},
			Paths{Home: "/home/ann/.mac-stats", Cache: "/home/ann/.cache/mac-stats", Runtime: "/home/ann/.cache/mac-stats/run"},
		},
		{
			"by XDG",
			map[string]string{"HOME": "/home/ann", "XDG_CACHE_HOME": "/c", "XDG_RUNTIME_DIR": "/run/user/7"},
			Paths{Home: "/home/ann/.mac-stats", Cache: "/c/mac-stats", Runtime: "/run/user/7/mac-stats"},
		},
		{
			"relative XDG folders don't count",
			map[string]string{"HOME": "/home/ann", "XDG_CACHE_HOME": "c", "XDG_RUNTIME_DIR": "r"},
			Paths{Home: "/home/ann/.mac-stats", Cache: "/home/ann/.cache/mac-stats", Runtime: "/home/ann/.cache/mac-stats/run"},
		},
		{
			"overridden",
			map[string]string{"HOME": "/home/ann", "MAC_STATS_HOME": "~/stats", "MAC_STATS_CACHE": "/tmp/x/../c", "XDG_RUNTIME_DIR": "/r"},
			Paths{Home: "/home/ann/stats", Cache: "/tmp/c", Runtime: "/r/mac-stats"},
		},
		{
			"without a home folder",
			map[string]string{"MAC_STATS_HOME": "/data"},
			Paths{Home: "/data", Cache: "/data/.cache/mac-stats", Runtime: "/data/.cache/mac-stats/run"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := FindPaths(func(k string) string { return tt.env[k] })
			if err != nil {
				t.Fatal(err)
			}
			if runtime.GOOS != "linux" {
				return // the folders are Linux's
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if got.ConfigFile() != filepath.Join(got.Home, "config.toml") {
				t.Error(got.ConfigFile())
			}
		})
	}
	if _, err := FindPaths(func(string) string { return "" }); !errors.Is(err, ErrNoHome) {
		t.Errorf("without any: %v", err)
	}
}

func TestExpand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	for home, want := range map[string]map[string]string{
		"/home/ann": {"~": "/home/ann", " ~/work ": "/home/ann/work", "~bob/work": "~bob/work", "/work": "/work", "": ""},
		"":          {"~": "~", "~/work": "~/work"},
	} {
		for path, want := range want {
			if got := Expand(path, func(string) string { return home }); got != want {
				t.Errorf("with the home %q, %q is %q, want %q", home, path, got, want)
			}
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, seed := range []string{"30m", "30d", "2w1d", "1d12h", "d", "0d", "-1h", "1.5h", "9999999999h", "1w", "65535w65535d2562047h", "1w65530d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDuration(text)
		if err != nil {
			return
		}
		if d < 0 {
			t.Errorf("%q is %d", text, d)
		}
		if again, err := parseDuration(formatDuration(d)); err != nil || again != d {
			t.Errorf("%q = %v, written %q, read %v %v", text, d, formatDuration(d), again, err)
		}
	})
}
