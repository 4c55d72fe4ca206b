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
	"mac-stats/app/discord/token"
	"mac-stats/sessionmem/forgotten"
)

// start is what doesn't change while the app runs: where its files are, how it was
// started, and when it ends.
type start struct {
	life
	Paths    config.Paths
	Logger   *slog.Logger
	Demo     bool
	FirstRun bool // there was no config.toml before this start
	Version  string
	watching bool // the app: watchers and the monitor run
	environ  []string
	demoHost string
	patience time.Duration // of Options
}

// life is what runs until Close, and what is closed then.
type life struct {
	ctx     context.Context // ends at Close: watchers, samplers
	cancel  context.CancelFunc
	work    sync.WaitGroup
	closers []func() error // run last to first
}

// end waits for what runs, and closes the rest.
func (l *life) end() error {
	l.cancel()
	l.work.Wait()
	var errs []error
	for _, c := range slices.Backward(l.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// base is what every part stands on.
type base struct {
	*start
	*noticeBoard
	*configuration
}

// lookup makes a getenv of an environment list.
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

// below gives a path as commands and the local API say it: below the data folder, with
// slashes; one elsewhere (the cache) stays as it is.
func (st *start) below(file string) string {
	rel, err := filepath.Rel(st.Paths.Home, file)
	if file == "" || err != nil || !filepath.IsLocal(rel) {
		return file
	}
	return filepath.ToSlash(rel)
}

// ToldBelow gives what a forgetting found with its paths by below; never nil.
func (st *start) ToldBelow(found []forgotten.Touched) []forgotten.Touched {
	out := make([]forgotten.Touched, len(found))
	for i, t := range found {
		t.Path = st.below(t.Path)
		out[i] = t
	}
	return out
}

// keychain is the system's; nil for a data folder elsewhere, which has none.
func (st *start) keychain() token.Keychain {
	getenv := lookup(st.environ)
	if st.Demo || getenv("MAC_STATS_HOME") != "" {
		return nil
	}
	return token.NewKeychain(getenv)
}
