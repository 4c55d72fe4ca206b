package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ollama/ollama/api"

	"mac-stats/agents"
	"mac-stats/agents/agenttest"
	"mac-stats/agents/fault"
	"mac-stats/agents/ollama"
	"mac-stats/app/backend"
	"mac-stats/assets"
	"mac-stats/sessionmem/attach"
	"mac-stats/sessionmem/memory"
	"mac-stats/sessionmem/transcript"
)

// params configures a run.
type params struct {
	host, model, small, embed string
	tier, label               string
	seed, most                int
	patience                  time.Duration
	folder                    string // for temporary data
	progress                  func(done int, title string)
}

// titleWait is how long to wait for the request of a title after the answer; after that
// there is none. titleSettle is how long the titles may take to be written.
const (
	titleWait   = 10 * time.Second
	titleSettle = 2 * time.Second
)

// stranger is the author of messages in the Discord channel.
const stranger = "anna"

// runner runs tasks in one opened app.
type runner struct {
	p      params
	proxy  *proxy
	b      *backend.Backend
	titles map[int]string // sessions whose titles are checked at the end, by task index
}

// run opens the app in an empty data folder and runs the tasks. If ctx ends, run returns the
// results so far, without the titles.
func run(ctx context.Context, p params, list []task) (results, error) {
	server, err := ollama.New(ollama.Params{Host: p.host})
	if err != nil {
		return results{}, err
	}
	if _, err := server.Version(ctx); err != nil { // so that the error is about the server and not the proxy
		return results{}, errors.New(fault.Explain(err).Sentence)
	}
	r := &runner{p: p, titles: map[int]string{}}
	if r.proxy, err = newProxy(server.Host(), p.seed, p.most); err != nil {
		return results{}, err
	}
	defer func() { _ = r.proxy.server.Close() }() // nothing is sent any more
	if err := r.open(ctx); err != nil {
		return results{}, err
	}
	res := results{Label: p.label, Tier: p.tier, Seed: p.seed, Most: p.most, Prompts: promptsHash(), Began: time.Now()}
	for to, name := range map[*string]string{&res.Model: p.model, &res.Small: cmp.Or(p.small, p.model), &res.Embed: p.embed} {
		if name == "" {
			continue
		}
		info, err := r.b.Models.Resolve(ctx, name, ollama.RoleGeneral)
		if err != nil {
			return results{}, errors.Join(err, r.b.Close())
		}
		*to = info.Name + " " + shortDigest(info.Digest)
	}
	for i, t := range list {
		p.progress(i, t.category+": "+t.title)
		one, err := r.task(ctx, i, t)
		if ctx.Err() != nil {
			res.Stopped = len(list)
			return res, r.b.Close() // the results so far are worth keeping
		}
		if err != nil {
			return results{}, errors.Join(err, r.b.Close())
		}
		res.Tasks = append(res.Tasks, one)
	}
	if err := r.checkTitles(ctx, list, res.Tasks); err != nil {
		return results{}, errors.Join(err, r.b.Close())
	}
	return res, r.b.Close()
}

// open opens the app as the menu bar does, with titles made in the background.
func (r *runner) open(ctx context.Context) error {
	home := filepath.Join(r.p.folder, "home")
	if err := fs.WalkDir(files, "agents", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return writeFile(filepath.Join(home, filepath.FromSlash(name)), data)
	}); err != nil {
		return err
	}
	strategy := "hybrid"
	if r.p.embed == "" {
		strategy = "lexical"
	}
	var err error
	r.b, err = backend.Open(ctx, backend.Options{Watch: true, Logger: slog.New(slog.DiscardHandler), Patience: 5 * time.Second, Environ: []string{
		"HOME=" + r.p.folder, "MAC_STATS_HOME=" + home, "MAC_STATS_CACHE=" + filepath.Join(r.p.folder, "cache"),
		"MAC_STATS_OLLAMA_HOST=" + r.proxy.host(), "MAC_STATS_OLLAMA_MODEL=" + r.p.model,
		"MAC_STATS_OLLAMA_SMALL_MODEL=" + cmp.Or(r.p.small, r.p.model), "MAC_STATS_OLLAMA_EMBED_MODEL=" + r.p.embed,
		"MAC_STATS_AGENTS_PROMPT_TIER=" + r.p.tier, "MAC_STATS_AGENTS_TOOLS_TIER=" + r.p.tier,
		// No task may see another one: only a search looks into other sessions.
		"MAC_STATS_RECALL_CROSS_SESSION=true", "MAC_STATS_RECALL_NOTES_BUDGET=0", "MAC_STATS_RECALL_STRATEGY=" + strategy,
	}})
	if err != nil {
		return err
	}
	return r.b.Set("session.auto_title", "false")
}

func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

// task runs one task. An error concerns this machine; errors of the model are failures.
func (r *runner) task(ctx context.Context, at int, t task) (result, error) {
	began := time.Now()
	if err := r.remember(ctx, t.memory); err != nil {
		return result{}, err
	}
	r.proxy.takeAnswers()
	ctx, stop := context.WithTimeout(ctx, r.p.patience)
	defer stop()
	session := r.b.Store.NewName("test")
	var outcome agenttest.Outcome
	var failed error
	switch t.category {
	case categoryCompaction:
		outcome, failed = r.compact(ctx, session, t)
	case categoryTitles:
		if failed = r.name(ctx, session, t); failed == nil {
			r.titles[at] = session
		}
	default:
		outcome, failed = r.turn(ctx, session, t)
	}
	one := result{Category: t.category, Title: t.title, Message: t.message, Answer: outcome.Answer, Took: time.Since(began)}
	one.Replies = r.proxy.takeAnswers()
	for _, c := range outcome.Calls {
		one.Calls = append(one.Calls, c.String())
	}
	for _, name := range outcome.Delegated {
		one.Calls = append(one.Calls, "→ "+name)
	}
	switch {
	case errors.Is(failed, errPlain):
		one.check(t, outcome) // check its replacement
		one.Plain, one.PlainHolds, one.Passed = true, one.Passed, false
		one.Failures = append(one.Failures, fault.Explain(failed).Sentence)
	case failed != nil:
		one.Failures = []string{fault.Explain(failed).Sentence}
	case t.category != categoryTitles:
		one.check(t, outcome)
	}
	return one, nil
}

// remember replaces the contents of the memory.
func (r *runner) remember(ctx context.Context, lessons string) error {
	file, err := r.b.Memory.OpenOwned(filepath.Join(r.b.Paths.Home, "agents", "memory.md"))
	if err != nil {
		return err
	}
	if text := "# Memory\n\n" + lessons + "\n"; text != file.Text {
		_, err = r.b.Memory.SaveOwned(ctx, file, text)
	}
	return err
}

func (r *runner) turn(ctx context.Context, session string, t task) (agenttest.Outcome, error) {
	req := agents.Request{Session: session, Text: t.message, Agent: t.agent, Holder: "quality"}
	if t.fileName != "" {
		req.Files = []attach.File{{Name: t.fileName, Data: []byte(t.file)}}
	}
	if t.category == categoryDiscord {
		prompt, err := assets.FS.ReadFile("prompts/discord.md")
		if err != nil {
			return agenttest.Outcome{}, err
		}
		req.Place = &agents.Place{
			Prompt: strings.ReplaceAll(string(prompt), "{{name}}", "luna"), Author: stranger,
			Lessons: memory.Target{Kind: memory.TargetChannel, ID: "200"}, Turns: 6, MessageChars: 4000,
		}
	}
	return r.b.Engine.Start(ctx, req).Outcome()
}

var errPlain = errors.New("no Summary of the model was accepted: it left out what the user said, or was none")

// compact compacts the conversation; the outcome is the model's summary.
func (r *runner) compact(ctx context.Context, session string, t task) (agenttest.Outcome, error) {
	var blocks []transcript.Block
	for i, text := range t.talk {
		b := transcript.Block{Kind: transcript.KindUser, Text: text, Time: time.Now().Add(time.Duration(i-len(t.talk)) * time.Minute)}
		if i%2 == 1 {
			b.Kind = transcript.KindAssistant
		}
		blocks = append(blocks, b)
	}
	if _, err := r.b.Store.Session(session).Append(ctx, blocks...); err != nil {
		return agenttest.Outcome{}, err
	}
	snap, _, err := r.b.Compaction.Snapshot(ctx, session, "")
	if err != nil {
		return agenttest.Outcome{}, err
	}
	done, err := r.b.Compaction.Compact(ctx, snap, 0)
	if err == nil && done.Plain {
		err = errPlain
	}
	return agenttest.Outcome{Answer: done.Summary.Text}, err
}

// name has a message answered and waits for the request for its title.
func (r *runner) name(ctx context.Context, session string, t task) error {
	if err := r.b.Set("session.auto_title", "true"); err != nil {
		return err
	}
	if r.p.small != "" && len(r.titles) == 0 { // titles are made only while the model is loaded
		hello := ollama.ChatRequest{Model: r.p.small, MaxTokens: 1, Messages: []api.Message{{Role: "user", Content: "Hello"}}}
		if _, err := r.b.Client.Chat(ctx, hello); err != nil {
			return err
		}
		r.proxy.takeAnswers()
	}
	if _, err := r.turn(ctx, session, t); err != nil {
		return err
	}
	for until := time.Now().Add(titleWait); ; time.Sleep(5 * time.Millisecond) {
		if said, more := r.proxy.pending(); !more && (said > 1 || time.Now().After(until)) {
			return nil
		}
	}
}

// checkTitles checks the titles, all of which have been requested.
func (r *runner) checkTitles(ctx context.Context, list []task, done []result) error {
	until := time.Now().Add(titleSettle)
	for at, session := range r.titles {
		for {
			info, err := r.b.Store.Load(ctx, session)
			if err != nil {
				return err
			}
			for _, b := range info.Blocks {
				if b.Kind == transcript.KindNote && b.Note == transcript.NoteTitle {
					done[at].Answer = b.Text
				}
			}
			if done[at].Answer != "" || time.Now().After(until) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		done[at].check(list[at], agenttest.Outcome{Answer: done[at].Answer})
	}
	return nil
}

// promptsHash returns a hash of the prompts and built-in agents.
func promptsHash() string {
	sum := sha256.New()
	for _, top := range []string{"agents", "prompts", "skills"} {
		_ = fs.WalkDir(assets.FS, top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(assets.FS, name)
			sum.Write([]byte(name + "\n"))
			sum.Write(data)
			return err
		}) // embedded files are always readable
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

func shortDigest(digest string) string {
	digest = strings.TrimPrefix(digest, "sha256:")
	return digest[:min(12, len(digest))]
}
