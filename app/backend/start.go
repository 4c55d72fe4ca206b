package backend

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mac-stats/app/config"
	"mac-stats/app/secret"
	"mac-stats/sessionmem/forgotten"
)

// start holds what doesn't change while the app runs: its folders, how it was started, and
// its lifetime.
type start struct {
	life
	Paths    config.Paths
	Logger   *slog.Logger
	Demo     bool
	FirstRun bool // there was no config.toml before
	Version  string
	watching bool // set in the app: watchers and the monitor run
	environ  []string
	demoHost string
	patience time.Duration // as in Options
}

// life holds what runs until Close and what is closed then.
type life struct {
	ctx     context.Context // done at Close; for watchers and samplers
	cancel  context.CancelFunc
	work    sync.WaitGroup
	closers []func() error // run in reverse order
}

// end waits for the goroutines and closes the rest.
func (l *life) end() error {
	l.cancel()
	l.work.Wait()
	var errs []error
	for _, c := range slices.Backward(l.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// base is what every part builds on.
type base struct {
	*start
	*noticeBoard
	*configuration
}

// lookup returns a getenv function for an environment list.
func lookup(environ []string) func(string) string {
	return func(key string) string {
		for _, kv := range slices.Backward(environ) {
			if k, v, ok := strings.Cut(kv, "="); ok && k == key {
				return v
			}
		}
		return ""
	}
}

// below returns a path relative to the data folder, with slashes, as commands and the local
// API show it. A path elsewhere (the cache) stays as it is.
func (st *start) below(file string) string {
	rel, err := filepath.Rel(st.Paths.Home, file)
	if file == "" || err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// RelativePaths returns the places that a forgetting found with paths relative to the data
// folder; never nil.
func (st *start) RelativePaths(found []forgotten.Touched) []forgotten.Touched {
	out := make([]forgotten.Touched, len(found))
	for i, t := range found {
		t.Path = st.below(t.Path)
		out[i] = t
	}
	return out
}

// keychain returns the system's keychain, or nil for a custom data folder, which uses none.
func (st *start) keychain() secret.Keychain {
	getenv := lookup(st.environ)
	if st.Demo || getenv("MAC_STATS_HOME") != "" {
		return nil
	}
	return secret.NewKeychain(getenv)
}
