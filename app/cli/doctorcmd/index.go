package doctorcmd

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/app/cli/memorycmd"
	"mac-stats/app/cli/words"
	"mac-stats/sessionmem/recall"
	"mac-stats/sessionmem/recall/postgres"
)

// indexChecks checks the search index. Being behind is no finding: the app or reindex
// catches up.
func (d *doctor) indexChecks(ctx context.Context) []check {
	const name, fix = "search index", "Check the permissions of the cache folder and the free space, then `mac-stats memory reindex`; the index may be deleted at any time."
	index, err := d.b.Index.Recall()
	if err != nil {
		return []check{bad(name, words.OneLine(err.Error(), 300), fix)}
	}
	s, err := index.Status(ctx)
	if errors.Is(err, recall.ErrDamaged) {
		return []check{bad(name, words.OneLine(err.Error(), 300), "`mac-stats memory reindex` builds it anew, and so does the app when it runs.")}
	}
	if err != nil {
		return []check{bad(name, words.OneLine(err.Error(), 300), fix)}
	}
	found := fmt.Sprintf("%s of %s, %s", words.Count(s.Chunks, "passage"), words.Count(s.Files, "file"), s.String())
	if s.Behind > 0 && !d.c.AppWorks(ctx, d.b) {
		return []check{noted(name, found+"; the app brings it up to date, or `mac-stats memory reindex`")}
	}
	return []check{good(name, found)}
}

// backendChecks checks the memory server, if one is configured.
func (d *doctor) backendChecks(ctx context.Context) []check {
	const name = "memory server"
	s, err := d.b.Shared.Server()
	if err == nil && s == nil {
		if left := d.b.Shared.ServersLeft(); len(left) > 0 {
			return []check{bad(name, "it holds what this machine put, though recall.backend is local", words.Sentence(memorycmd.ServersLeft(left)))}
		}
		return nil
	}
	var st recall.ServerStatus
	if err == nil {
		st, err = s.Status(ctx)
	}
	checks := []check{good(name, "PostgreSQL "+st.Version+", "+memorycmd.VectorsOfServer(st))}
	if err != nil {
		checks[0] = bad(name, words.OneLine(err.Error(), 300), "Until then this machine searches its own files. `mac-stats memory backend test` tries again.")
	}
	if postgres.HasPassword(d.b.Config().Recall.PostgresURL) {
		checks = append(checks, bad("memory server password", memorycmd.PasswordInConfig, "`mac-stats memory backend password` saves it in the keychain."))
	}
	return checks
}
