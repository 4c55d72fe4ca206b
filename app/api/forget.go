package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"mac-stats/sessionmem/forget"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/recall"
)

// forgetAnswer is the answer to DELETE …/memory/{chunk_id}.
type forgetAnswer struct {
	Session string              `json:"session"`
	Chunk   string              `json:"chunk"`
	DryRun  bool                `json:"dry_run"`
	Refused int                 `json:"refused"` // places where something can't be removed
	Pending int                 `json:"pending"` // places that are finished later, automatically
	Found   []forgotten.Touched `json:"found"`   // never null
}

// forget is DELETE /v1/chat/sessions/{id}/memory/{chunk_id}. It removes the passage from
// every file for good; with dry_run it only reports what it would remove.
func (a *API) forget(ctx context.Context, r *http.Request) (any, error) {
	q, err := onlyParams(r, "dry_run", "lessons", "also")
	if err != nil {
		return nil, err
	}
	flags := map[string]bool{}
	for _, name := range []string{"dry_run", "lessons"} {
		if flags[name], err = flag(q, name); err != nil {
			return nil, err
		}
	}
	session, err := a.session(ctx, r)
	if err != nil {
		return nil, err
	}
	chunk := r.PathValue("chunk_id")
	if !strings.HasPrefix(chunk, session+"/") {
		return nil, recall.ErrNoChunk
	}
	index, err := a.backend.Index.Recall()
	if err != nil {
		return nil, err
	}
	if _, err := index.Chunk(ctx, chunk); err != nil {
		return nil, err
	}
	also := strings.FieldsFunc(q.Get("also"), func(r rune) bool { return r == ',' })
	plan, err := a.backend.Forgetting.ForgetPlan(ctx, forget.Selection{Chunk: chunk, Lessons: flags["lessons"], Also: also})
	if errors.Is(err, forget.ErrSelection) {
		return nil, badRequest("also names no place that was offered.", "Send the ids that a dry run gives as offer, separated by commas.")
	}
	if err != nil {
		return nil, err
	}
	out := forgetAnswer{Session: session, Chunk: chunk, DryRun: flags["dry_run"], Found: plan.Found}
	if !out.DryRun && !plan.Nothing() {
		// A forgetting that has begun is finished even if the caller disconnects.
		report, err := a.backend.Forgetting.Forget(context.WithoutCancel(ctx), plan)
		if err != nil {
			return nil, err
		}
		out.Found, out.Refused, out.Pending = report.Found, report.Refused, report.Pending
	}
	out.Found = a.backend.RelativePaths(out.Found)
	return out, nil
}
