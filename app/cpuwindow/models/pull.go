package models

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/cpuwindow/faultwords"
	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
)

// Pull is a download: under way, stopped by the user, or failed.
type Pull struct {
	Model            string
	Status           string
	Completed, Total int64         // bytes
	Left             time.Duration // time left; 0 if unknown
	Stopped          bool          // by the user; the server keeps what was downloaded
	Err              error
}

func (p Pull) fraction() float64 {
	if p.Total <= 0 {
		return 0
	}
	return float64(p.Completed) / float64(p.Total)
}

func (p Pull) words() string {
	step, downloads := stepWords(p.Status)
	if !p.Stopped && (p.Total <= 0 || !downloads) {
		return i18n.Capital(step) + "…"
	}
	places := i18n.Places{"Completed": Gigabytes(p.Completed), "Total": Gigabytes(p.Total), "What": fmt.Sprintf("%.0f", math.Floor(100*p.fraction()))}
	if p.Stopped {
		return i18n.With("Stopped at {{.Completed}} of {{.Total}} · {{.What}} %", places)
	}
	words := i18n.With("{{.Completed}} of {{.Total}} · {{.What}} %", places)
	switch {
	case p.Left == 0:
	case p.Left < time.Hour:
		words += " · " + i18n.Count("about {{.N}} minutes left", int(p.Left/time.Minute)+1)
	default:
		words += " · " + i18n.Count("about {{.N}} hours left", int(p.Left/time.Hour)+1)
	}
	return words
}

// stepWords returns our words for the server's status. downloads reports whether it is the
// step that has a size.
func stepWords(status string) (words string, downloads bool) {
	verb, _, _ := strings.Cut(status, " ")
	switch {
	case status == "", status == "pulling manifest":
		return i18n.T("asking for it"), false
	case verb == "pulling", verb == "downloading":
		return i18n.T("downloading"), true
	case verb == "verifying":
		return i18n.T("checking what came"), false
	case verb == "writing", verb == "removing", status == "success":
		return i18n.T("installing"), false
	}
	return status, false
}

// timeLeft estimates the time left from the pace since the download had startBytes; 0 if it is
// too early to tell.
func (p Pull) timeLeft(startBytes int64, took time.Duration) time.Duration {
	received := p.Completed - startBytes
	if received <= 0 || took < minEstimateTime {
		return 0
	}
	return time.Duration(float64(took) * float64(p.Total-p.Completed) / float64(received))
}

// minEstimateTime is how long a download must run before its time left is shown.
const minEstimateTime = 3 * time.Second

// progressInterval is the minimum time between two updates of the progress.
const progressInterval = 200 * time.Millisecond

// Puller downloads one model at a time. It belongs to the UI goroutine.
type Puller struct {
	host    pullHost
	pull    func(ctx context.Context, model string, progress func(ollama.Progress)) error
	changed func(done bool) // called on each change; done means that a model was added
	now     Pull
	shown   []shownPull        // the cards that show the download
	cancel  context.CancelFunc // nil if no download is under way
}

// shownPull holds the parts of a card that change with each step: its buttons stay the same
// objects.
type shownPull struct {
	bar   *kit.Gauge
	words *kit.Label
}

type pullHost interface {
	Do(f func())
	Context() context.Context
}

// NewPuller returns a Puller that downloads with pull and calls changed on each change.
func NewPuller(h pullHost, pull func(ctx context.Context, model string, progress func(ollama.Progress)) error, changed func(done bool)) *Puller {
	return &Puller{host: h, pull: pull, changed: changed}
}

// Now returns the download that is shown; its model is "" if there is none.
func (p *Puller) Now() Pull { return p.now }

// Phase identifies what the download's card is built for; it stays the same while the card
// only has to be updated.
func (p *Puller) Phase() string { return fmt.Sprint(p.now.Model, p.now.Stopped, p.now.Err) }

// Start downloads a model, or resumes its download. It does nothing while a download is
// under way.
func (p *Puller) Start(model string) {
	if p.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(p.host.Context())
	p.cancel = cancel
	old := p.now
	p.now = Pull{Model: model}
	if old.Model == model {
		p.now.Completed, p.now.Total = old.Completed, old.Total // until the server reports its progress
	}
	p.changed(false)
	go func() {
		var last, since time.Time
		var startBytes int64 // bytes downloaded at since
		err := p.pull(ctx, model, func(step ollama.Progress) {
			if time.Since(last) < progressInterval {
				return
			}
			last = time.Now()
			if since.IsZero() && step.Total > 0 {
				since, startBytes = last, step.Completed
			}
			now := Pull{Model: model, Status: step.Status, Completed: step.Completed, Total: step.Total}
			now.Left = now.timeLeft(startBytes, last.Sub(since))
			p.host.Do(func() {
				if ctx.Err() == nil {
					p.now = now
					for _, s := range p.shown {
						s.bar.Set(p.now.fraction(), kit.RoleAccent)
						s.words.SetText(p.now.words())
					}
				}
			})
		})
		stopped := err != nil && ctx.Err() != nil
		cancel()
		p.host.Do(func() { p.end(err, stopped) })
	}()
}

func (p *Puller) end(err error, stopped bool) {
	p.cancel, p.shown = nil, nil
	switch {
	case stopped:
		p.now.Stopped = true
	case err != nil:
		p.now.Err = err
	default:
		p.now = Pull{}
	}
	p.changed(err == nil && !stopped)
}

// Stop ends the download under way; Start with the same model resumes it.
func (p *Puller) Stop() {
	if p.cancel != nil {
		p.cancel()
	}
}

// Dismiss removes a download that isn't under way.
func (p *Puller) Dismiss() {
	if p.cancel == nil && p.now.Model != "" {
		p.now = Pull{}
		p.changed(false)
	}
}

// Card shows the download and its actions.
func (p *Puller) Card() kit.Row {
	now := p.now
	bar := kit.NewGauge(200)
	bar.Set(now.fraction(), kit.RoleAccent)
	resume := func() { p.Start(now.Model) }
	dismiss := kit.NewButton(kit.ButtonPlain, i18n.T("Dismiss"), p.Dismiss)
	place := i18n.Places{"Model": now.Model}
	var parts []fyne.CanvasObject
	switch {
	case now.Err != nil:
		what, next := failure(now.Model, now.Err)
		parts = []fyne.CanvasObject{
			prose.Heading(i18n.With("{{.Model}} could not be pulled", place)), prose.NewParagraph(what, kit.RoleText), prose.NewParagraph(next, kit.RoleMuted),
			kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPrimary, i18n.T("Try again"), resume), dismiss),
		}
	case now.Stopped:
		bar.Set(now.fraction(), kit.RoleFaint)
		parts = []fyne.CanvasObject{
			prose.Heading(i18n.With("Download of {{.Model}} stopped", place)), bar, kit.Small(now.words()).Squeezable(),
			kit.Line(kit.Gap8, -1, kit.NewButton(kit.ButtonPrimary, i18n.T("Resume"), resume), dismiss),
		}
	default:
		words := kit.Small(now.words()).Squeezable()
		p.shown = append(p.shown, shownPull{bar, words})
		parts = []fyne.CanvasObject{
			prose.Heading(i18n.With("Pulling {{.Model}}", place)), bar,
			kit.Line(kit.Gap8, 0, words, kit.NewButton(kit.ButtonPlain, i18n.T("Cancel"), p.Stop)),
		}
	}
	c := column.NewCardRow(kit.RoleNone, parts...)
	c.Pad, c.Gap = kit.Gap16, kit.Gap8
	return c
}

// failure describes what went wrong with a download, and what to do.
func failure(model string, err error) (what, next string) {
	detail := err.Error()
	var e *ollama.Error
	if errors.As(err, &e) && e.Detail != "" {
		detail = e.Detail
	}
	low := strings.ToLower(detail)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(low, p) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.Is(err, ollama.ErrOllamaDown), errors.Is(err, ollama.ErrTimeout), errors.Is(err, ollama.ErrStreamCut):
		x := fault.Explain(err)
		return faultwords.Of(x.Sentence), i18n.T("Check that Ollama is running, then try again. The download continues where it stopped.")
	case has("dial tcp", "lookup ", "no such host", "network is unreachable", "i/o timeout", "proxyconnect", "tls:", "x509:", "connection reset"):
		return i18n.T("The registry could not be reached."), i18n.T("Is the machine online? Then try again.")
	case has("file does not exist", "not found", "manifest unknown", "invalid model name"):
		return i18n.With("The registry has no model {{.Model}}.", i18n.Places{"Model": model}), i18n.T("Check its name in the list of models, then try again.")
	case has("no space left", "disk quota"):
		return i18n.T("The disk is full."), i18n.T("Free some space, then try again. The download continues where it stopped.")
	case has("newer version", "upgrade"):
		return i18n.With("This Ollama is too old for {{.Model}}.", i18n.Places{"Model": model}), i18n.T("Update Ollama, then try again.")
	}
	return i18n.With("The download of {{.Model}} failed.", i18n.Places{"Model": model}), i18n.With("Try again. Ollama said: {{.Detail}}", i18n.Places{"Detail": i18n.Shorten(strings.Join(strings.Fields(detail), " "), 160)})
}
