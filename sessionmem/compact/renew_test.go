package compact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem"
	"mac-stats/sessionmem/forgotten"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/session"
	"mac-stats/sessionmem/summary"
	"mac-stats/sessionmem/transcript"
)

// retelling is a Summarizer that repeats everything it gets, as a model may.
type retelling struct {
	given []string
	fail  error
}

func (r *retelling) Summarize(_ context.Context, _ string, previous *transcript.Block, messages []transcript.Block) (Digest, error) {
	if r.fail != nil {
		return Digest{}, r.fail
	}
	text := "Retold:"
	if previous != nil {
		text += " (" + previous.Text + ")"
	}
	for _, m := range messages {
		text += " " + m.Text
	}
	r.given = append(r.given, text)
	return Digest{Context: text, By: "small:1b", Lessons: []memory.Lesson{{Text: "learnt again: " + text, Confidence: 1}}}, nil
}

// forget removes words from all files of the rig.
func (r *compactRig) forget(words string) []forgotten.Touched {
	r.t.Helper()
	traces, err := r.store.Forgotten().New(true, false)
	must(r.t, err)
	traces.AddWords(words)
	must(r.t, r.store.Forgotten().Begin(traces))
	found, err := r.store.Forget(r.t.Context(), traces.Traces, sessionmem.ForgetOptions{})
	must(r.t, err)
	must(r.t, r.store.Forgotten().Done(traces.Traces, nil))
	return found
}

// lastSummary returns the Summary that goes into a request.
func (r *compactRig) lastSummary(session string) transcript.Block {
	r.t.Helper()
	c, err := r.store.Context(r.t.Context(), session)
	must(r.t, err)
	if c.Summary == nil {
		r.t.Fatal("there is no Summary")
	}
	return *c.Summary
}

// forgottenInASummary makes a session of ten messages whose Summary mentions a zebra that is forgotten.
func forgottenInASummary(t *testing.T) (*compactRig, *retelling) {
	t.Helper()
	model := &retelling{}
	r := newCompactRig(t, model)
	r.write = "off"
	_, err := r.store.Append(t.Context(), "cli-a", transcript.Block{ID: "z", Kind: transcript.KindUser, Text: "the zebra sleeps at seven"})
	must(t, err)
	r.addMessages("cli-a", 1, 10)
	must(t, second(r.compact("cli-a")))
	if s := r.lastSummary("cli-a"); !strings.Contains(s.Text, "zebra") {
		t.Fatalf("the Summary says %q", s.Text)
	}
	r.forget("zebra sleeps")
	return r, model
}

func TestRebuiltSummaryIsRenewedByTheModel(t *testing.T) {
	r, model := forgottenInASummary(t)
	plain := r.lastSummary("cli-a")
	if plain.By != summary.PlainBy || !summary.IsRebuilt(plain) || strings.Contains(plain.Text, "zebra") || !strings.Contains(plain.Text, "tea") {
		t.Errorf("at once it is %+v, want one without a model of what is left", plain)
	}
	before := window(t, r.store, "cli-a")
	done, err := r.c.Renew(t.Context(), "cli-a")
	must(t, err)
	anew := r.lastSummary("cli-a")
	switch {
	case anew.ID != done.Summary.ID || anew.By != "small:1b" || anew.Through != plain.Through || anew.Attrs[transcript.AttrAgain] != plain.ID:
		t.Errorf("made anew it is %+v", anew)
	case strings.Contains(anew.Text, "zebra") || !strings.Contains(anew.Text, "message 1 about the tea"):
		t.Errorf("it says %q", anew.Text)
	case window(t, r.store, "cli-a") != before:
		t.Errorf("the context was %q and is %q", before, window(t, r.store, "cli-a"))
	}
	if given := model.given[len(model.given)-1]; strings.Contains(given, "zebra") || strings.Contains(given, "made without a model") {
		t.Errorf("the model was given %q, want what is left alone", given)
	}
	if len(done.Lessons.Written)+len(done.Lessons.Proposed) > 0 {
		t.Errorf("learnt again: %+v", done.Lessons)
	}
	if _, err := r.c.Renew(t.Context(), "cli-a"); !errors.Is(err, session.ErrNothing) {
		t.Errorf("again: %v, want that there is nothing to do", err)
	}
	restarted, err := sessionmem.Open(sessionmem.Config{Root: r.root})
	must(t, err)
	defer restarted.Close()
	if got := window(t, restarted, "cli-a"); got != before {
		t.Errorf("after a restart the context is %q, want %q", got, before)
	}
}

func TestLaterCompactionBringsNothingForgottenBack(t *testing.T) {
	for _, renewed := range []bool{false, true} {
		t.Run(fmt.Sprint("made anew before: ", renewed), func(t *testing.T) {
			r, model := forgottenInASummary(t)
			if renewed {
				must(t, second(r.c.Renew(t.Context(), "cli-a")))
			}
			r.addMessages("cli-a", 10, 20)
			must(t, second(r.compact("cli-a")))
			if s := r.lastSummary("cli-a"); strings.Contains(s.Text, "zebra") || summary.IsRebuilt(s) || !strings.Contains(s.Text, "message 12") {
				t.Errorf("the next Summary is %+v", s)
			}
			for _, given := range model.given[1:] {
				if strings.Contains(given, "zebra") {
					t.Errorf("the model was given %q", given)
				}
			}
		})
	}
}

// Making a Summary again counts no message as summarised that wasn't.
func TestMessagesSinceTheFirstSummaryStillCount(t *testing.T) {
	r, _ := forgottenInASummary(t)
	r.addMessages("cli-a", 10, 14)
	before, _, err := r.c.Snapshot(t.Context(), "cli-a", "")
	must(t, err)
	must(t, second(r.c.Renew(t.Context(), "cli-a")))
	after, _, err := r.c.Snapshot(t.Context(), "cli-a", "")
	must(t, err)
	if before.Since != 4 || after.Since != 4 || len(after.Messages) != len(before.Messages) {
		t.Errorf("since the Summary: %d before, %d after, want 4; %d and %d messages", before.Since, after.Since, len(before.Messages), len(after.Messages))
	}
}

func TestPlainSummaryStaysWithoutAModel(t *testing.T) {
	down := errors.New("no server")
	for _, tt := range []struct {
		name  string
		fail  error
		again error // the error of the second try
	}{
		{"no server: it is tried again", down, down},
		{"a useless answer: not again", fmt.Errorf("%w: garbled", ErrNoDigest), session.ErrNothing},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, model := forgottenInASummary(t)
			model.fail = tt.fail
			plain := r.lastSummary("cli-a")
			if _, err := r.c.Renew(t.Context(), "cli-a"); !errors.Is(err, tt.fail) {
				t.Errorf("%v", err)
			}
			if _, err := r.c.Renew(t.Context(), "cli-a"); !errors.Is(err, tt.again) {
				t.Errorf("again: %v, want %v", err, tt.again)
			}
			if s := r.lastSummary("cli-a"); s.ID != plain.ID {
				t.Errorf("the Summary is %+v", s)
			}
		})
	}
}

func TestSummaryForgottenDuringRenewalIsNotAppended(t *testing.T) {
	r, _ := forgottenInASummary(t)
	r.c.c.Summarizer = summarizeFunc(func(_ context.Context, _ *transcript.Block, messages []transcript.Block) (Digest, error) {
		r.forget("message 2 about the tea")
		return Digest{Context: messages[1].Text, By: "small:1b"}, nil
	})
	if _, err := r.c.Renew(t.Context(), "cli-a"); !errors.Is(err, session.ErrStale) {
		t.Errorf("%v, want ErrStale", err)
	}
	if s := r.lastSummary("cli-a"); strings.Contains(s.Text, "message 2 ") {
		t.Errorf("the Summary says %q", s.Text)
	}
}

func TestPeriodicPassRenewsSummaries(t *testing.T) {
	r, _ := forgottenInASummary(t)
	must(t, r.c.Pass(t.Context()))
	if s := r.lastSummary("cli-a"); s.By != "small:1b" {
		t.Errorf("the Summary is %+v", s)
	}
	if len(r.done) != 1 || !r.done[0].Renewed || !strings.Contains(r.done[0].Words(), "made anew") {
		t.Errorf("told: %+v", r.done)
	}
}

func TestNothingLeftMeansNoRenewal(t *testing.T) {
	r := newCompactRig(t, &retelling{})
	r.addMessages("cli-a", 0, 10)
	must(t, second(r.compact("cli-a")))
	traces, err := r.store.Forgotten().New(false, false)
	must(t, err)
	traces.AddSpan(time.Time{}, time.Now().Add(time.Hour))
	must(t, r.store.Forgotten().Begin(traces))
	must(t, second(r.store.Forget(t.Context(), traces.Traces, sessionmem.ForgetOptions{})))
	if s := r.lastSummary("cli-a"); s.Text != forgotten.Text || summary.IsRebuilt(s) {
		t.Errorf("the Summary is %+v", s)
	}
	if _, err := r.c.Renew(t.Context(), "cli-a"); !errors.Is(err, session.ErrNothing) {
		t.Errorf("%v, want that there is nothing to do", err)
	}
	list, err := r.store.List(t.Context())
	must(t, err)
	for _, info := range list {
		if data, err := os.ReadFile(info.Path); err != nil || strings.Contains(string(data), "tea") {
			t.Errorf("%v: the transcript says %s", err, data)
		}
	}
}
