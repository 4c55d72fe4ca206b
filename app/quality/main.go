// Command quality measures how well a model does this app's work: about 150 tasks of our own,
// run through the same engine as every chat, on any Ollama server.
//
//	go run ./app/quality run -model qwen3:8b [-small …] [-embed …] [-tier middle] [-out results.json]
//	go run ./app/quality compare before.json after.json
//
// A task is a case of tasks/<category>.md, in the format of an agent's testing.md (see task).
// It passes only if all its expectations hold. Each run has a data folder of its own; answers
// use a fixed seed, and temperature 0 unless an agent sets another.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1) //nolint:gocritic // the process ends: there is nothing left to stop
	}
}

var errUsage = errors.New("use: quality run -model NAME [flags], or quality compare FILE FILE")

func command(ctx context.Context, args []string, out, progress io.Writer) error {
	switch {
	case len(args) == 3 && args[0] == "compare":
		before, err := readResults(args[1])
		if err != nil {
			return err
		}
		after, err := readResults(args[2])
		if err != nil {
			return err
		}
		return compare(out, before, after)
	case len(args) > 0 && args[0] == "run":
		return measure(ctx, args[1:], out, progress)
	}
	return errUsage
}

// measure runs the tasks, prints the table and saves the results to a file.
func measure(ctx context.Context, args []string, out, progress io.Writer) error {
	var p params
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.StringVar(&p.host, "host", os.Getenv("OLLAMA_HOST"), "the Ollama server")
	flags.StringVar(&p.model, "model", "", "the model that answers")
	flags.StringVar(&p.small, "small", "", "the model for summaries and titles; the same where left out")
	flags.StringVar(&p.embed, "embed", "", "the model for embeddings")
	flags.StringVar(&p.tier, "tier", "auto", "how much the model is told, and which tools it gets: auto, large, middle or plain")
	flags.StringVar(&p.label, "label", "", "what is measured, for people: a version, a change")
	flags.IntVar(&p.seed, "seed", 7, "of the answers")
	flags.IntVar(&p.most, "most", 512, "tokens of an answer")
	flags.DurationVar(&p.patience, "patience", 5*time.Minute, "how long one task may take")
	only := flags.String("only", "", "categories, separated by commas; all where left out")
	every := flags.Int("every", 1, "take one of so many tasks, where the machine is slow")
	file := flags.String("out", "", "where the results are kept; artifacts/quality/<model>-<tier>-<time>.json where left out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if p.model == "" {
		return errUsage
	}
	list, err := loadTasks()
	if err != nil {
		return err
	}
	list = selectTasks(list, *only, *every)
	if p.folder, err = os.MkdirTemp("", "mac-stats-quality"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(p.folder) }() // temporary data
	p.progress = func(done int, title string) {
		_, _ = fmt.Fprintf(progress, "%d/%d %s\n", done+1, len(list), title) // only for display
	}
	res, err := run(ctx, p, list)
	if err != nil {
		return err
	}
	if *file == "" {
		name := strings.NewReplacer("/", "-", ":", "-").Replace(p.model) + "-" + p.tier + res.Began.Format("-20060102-150405") + ".json"
		*file = filepath.Join("artifacts", "quality", name)
	}
	if err := res.write(*file); err != nil {
		return err
	}
	if err := report(out, res); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nKept in %s. To compare: make quality COMPARE=\"<one file> <another>\".\n", *file)
	return err
}
