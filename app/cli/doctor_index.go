package cli

import (
	"context"
	"errors"
	"fmt"

	"mac-stats/sessionmem/recall"
)

// indexChecks look at the search index. One that is behind is nothing wrong: the app
// takes it up, or reindex does.
func (d *doctor) indexChecks(ctx context.Context) []check {
	const name, fix = "search index", "Check the permissions of the cache folder and the free space, then `mac-stats memory reindex`; the index may be deleted at any time."
	index, err := d.b.Recall()
	if err != nil {
		return []check{bad(name, oneLine(err.Error(), 300), fix)}
	}
	s, err := index.Status(ctx)
	if errors.Is(err, recall.ErrDamaged) {
		return []check{bad(name, oneLine(err.Error(), 300), "`mac-stats memory reindex` builds it anew, and so does the app when it runs.")}
	}
	if err != nil {
		return []check{bad(name, oneLine(err.Error(), 300), fix)}
	}
	found := fmt.Sprintf("%s of %s, %s", count(s.Chunks, "passage"), count(s.Files, "file"), s.String())
	if s.Behind > 0 && !d.c.appRuns(ctx, d.b) {
		return []check{noted(name, found+"; the app brings it up to date, or `mac-stats memory reindex`")}
	}
	return []check{good(name, found)}
}
