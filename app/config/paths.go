package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/adrg/xdg"
)

// The environment variables that move the folders.
const (
	envHome  = "MAC_STATS_HOME"
	envCache = "MAC_STATS_CACHE"
)

// ErrNoHome means that neither MAC_STATS_HOME nor the home folder is known.
var ErrNoHome = errors.New("the home folder is not known; set HOME, or MAC_STATS_HOME to the folder to use")

// Paths holds the folders of an installation, all absolute.
type Paths struct {
	Home    string // ~/.mac-stats, or MAC_STATS_HOME
	Cache   string // XDG cache/mac-stats, or MAC_STATS_CACHE
	Runtime string // folder of the socket: XDG_RUNTIME_DIR/mac-stats, otherwise run under Cache
}

// FindPaths finds the folders from the environment (getenv is usually os.Getenv) and
// creates none. It fails with ErrNoHome, or if the working folder no longer exists.
func FindPaths(getenv func(string) string) (Paths, error) {
	user := userHome(getenv)
	p := Paths{Home: expand(getenv(envHome), user), Cache: expand(getenv(envCache), user)}
	if p.Home == "" {
		if user == "" {
			return Paths{}, ErrNoHome
		}
		p.Home = filepath.Join(user, ".mac-stats")
	}
	if p.Cache == "" {
		p.Cache = filepath.Join(cacheHome(getenv, user, p.Home), "mac-stats")
	}
	p.Runtime = filepath.Join(p.Cache, "run")
	if dir := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		p.Runtime = filepath.Join(dir, "mac-stats")
	}
	for _, path := range []*string{&p.Home, &p.Cache, &p.Runtime} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return Paths{}, fmt.Errorf("find the folder %s: %w", *path, err)
		}
		*path = abs
	}
	return p, nil
}

// ConfigFile returns <home>/config.toml.
func (p Paths) ConfigFile() string { return filepath.Join(p.Home, "config.toml") }

func userHome(getenv func(string) string) string {
	if runtime.GOOS == "windows" {
		if home := getenv("USERPROFILE"); home != "" {
			return home
		}
	}
	return getenv("HOME")
}

// Expand resolves a leading ~ in a setting, which no shell has expanded.
func Expand(path string, getenv func(string) string) string { return expand(path, userHome(getenv)) }

// expand resolves a leading ~; no shell has expanded it if the variable comes from a
// desktop file or a service.
func expand(path, user string) string {
	path = strings.TrimSpace(path)
	if user == "" {
		return path
	}
	if path == "~" {
		return user
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(user, rest)
	}
	return path
}

// cacheHome returns the folder of caches. The xdg package read the process's environment at
// startup; getenv overrides it.
func cacheHome(getenv func(string) string, user, home string) string {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if user == "" {
		return filepath.Join(home, ".cache")
	}
	if user == xdg.Home && os.Getenv("XDG_CACHE_HOME") == "" {
		return xdg.CacheHome
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(user, "Library", "Caches")
	case "windows":
		return filepath.Join(user, "AppData", "Local", "cache")
	}
	return filepath.Join(user, ".cache")
}
