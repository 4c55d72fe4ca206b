package sessioncmd

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mac-stats/app/backend"
	"mac-stats/app/cli/cmdline"
	"mac-stats/app/cli/words"
	"mac-stats/app/transfer"
	"mac-stats/sessionmem"
	"mac-stats/sessionmem/transcript"
)

// exportLine is the line of `sessions export --json -o FILE`.
type exportLine struct {
	Type   string `json:"type"` // export
	Name   string `json:"name"`
	Format string `json:"format"`
	File   string `json:"file"`
	Blocks int    `json:"blocks"`
}

// exported is a session in the form of `sessions export --format json`.
type exported struct {
	Type          string `json:"type"` // transcript
	sessionFields        // followed by blocks, a list of exportedBlock
}

// sessionFields describe a transcript.
type sessionFields struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Title   string `json:"title"`
	Started string `json:"started"`
	Active  string `json:"active"`
}

// exportedBlock is a whole block: unlike `sessions show`, it leaves nothing out.
type exportedBlock struct {
	ID      string            `json:"id"`
	Kind    string            `json:"kind"`
	Time    string            `json:"time"`
	Agent   string            `json:"agent,omitempty"`
	Model   string            `json:"model,omitempty"`
	Parent  string            `json:"parent,omitempty"`
	Task    string            `json:"task,omitempty"`
	Context string            `json:"context,omitempty"`
	Through string            `json:"through,omitempty"`
	By      string            `json:"by,omitempty"`
	Note    string            `json:"note,omitempty"`
	Attrs   map[string]string `json:"attrs,omitempty"`
	Text    string            `json:"text"`
}

func exportCommand(c *cmdline.Line) *cobra.Command {
	cmd := &cobra.Command{
		Use: "export NAME", Short: "Write a whole session to a file or to stdout",
		Long: "export writes a whole session as markdown (the transcript's own format, which can be\nloaded again), as one JSON object, or as one HTML file to read, send or print (a\nbrowser saves it as PDF). It never overwrites a file. A file whose name ends in\n.zip has the markdown with the files attached to the session.",
		Args: cmdline.Exactly(1, "one NAME"),
	}
	c.WithJSON(cmd)
	format := cmd.Flags().String("format", "md", "md, html or json")
	file := cmd.Flags().StringP("output", "o", "", "the file to write; stdout if empty or -")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		toFile := *file != "" && *file != "-"
		if c.Out.AsJSON && !toFile {
			if cmd.Flags().Changed("format") && *format != "json" {
				return cmdline.WrongUsage(cmd, "--json writes JSON to stdout; leave --format away, or give a file with -o")
			}
			*format = "json"
		}
		if *format == "pdf" {
			return cmdline.WrongUsage(cmd, "--format pdf: export as html, open the file in a browser and print it to a PDF")
		}
		if !slices.Contains([]string{"md", "html", "json"}, *format) {
			return cmdline.WrongUsage(cmd, fmt.Sprintf("--format is md, html or json, not %q", *format))
		}
		return withSession(cmd.Context(), c, args, func(b *backend.Backend, name string) error {
			write := func(w io.Writer) (int, error) { return export(cmd.Context(), b.Store, name, w, *format) }
			if *format != "html" { // a page shows what it can and names the rest
				files, err := attachedFiles(cmd.Context(), b.Store, name)
				if err != nil {
					return err
				}
				if zipped := toFile && *format == "md" && strings.EqualFold(filepath.Ext(*file), ".zip"); zipped {
					write = func(w io.Writer) (int, error) { return exportZip(cmd.Context(), c, b.Store, name, w, files) }
				} else if len(files) > 0 {
					c.Note(words.Count(len(files), "attached file") + " left out: `-o FILE.zip` writes the markdown with " + map[bool]string{true: "it.", false: "them."}[len(files) == 1])
				}
			}
			if !toFile {
				_, err := write(c.Out)
				return err
			}
			blocks, err := exportTo(*file, write)
			if err != nil {
				return err
			}
			if err := b.Store.State().MarkExported(cmd.Context(), name, *file); err != nil {
				b.Logger.Warn("an export is not noted: forgetting will not name it", "session", name, "err", err)
			}
			return c.Out.Print(exportLine{Type: "export", Name: name, Format: *format, File: *file, Blocks: blocks}, fmt.Sprintf("%s is in %s.\n", name, *file))
		})
	}
	return cmd
}

// exportTo writes a new file and removes it after an error.
func exportTo(file string, write func(io.Writer) (int, error)) (blocks int, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if info, statErr := os.Stat(file); err != nil && statErr == nil && info.IsDir() {
		return 0, cmdline.Problem(file+" is a folder.", "Name a file in it with -o.")
	}
	if errors.Is(err, os.ErrExist) {
		return 0, cmdline.Problem(file+" exists already.", "Choose another file, or remove it first.")
	}
	if err != nil {
		return 0, cmdline.Problem(fmt.Sprintf("The export can't be written: %v.", err), "Choose another file with -o.")
	}
	w := &exportWriter{w: bufio.NewWriter(f)}
	blocks, err = write(w)
	failed := errors.Join(w.err, w.w.Flush(), f.Close())
	switch {
	case failed != nil:
		return 0, cmdline.Problem(fmt.Sprintf("The export can't be written: %v.", errors.Join(failed, os.Remove(file))),
			"Free some space, or choose another file with -o.")
	case err != nil: // from reading the session
		return 0, errors.Join(err, os.Remove(file))
	}
	return blocks, nil
}

// exportWriter remembers errors of the file, as opposed to the session's.
type exportWriter struct {
	w   *bufio.Writer
	err error
}

func (w *exportWriter) Write(data []byte) (int, error) {
	n, err := w.w.Write(data)
	w.err = err
	return n, err
}

// export writes a session of any size in a format and returns the number of its blocks.
func export(ctx context.Context, store *sessionmem.Store, name string, w io.Writer, format string) (blocks int, err error) {
	switch format {
	case "md":
		return store.Write(ctx, name, w)
	case "html":
		return exportHTML(ctx, store, name, w)
	}
	begin := func(info transcript.Info, _ string) error {
		head, err := encoded(exported{Type: "transcript", sessionFields: sessionFields{
			Name: info.Name, Source: info.Source, Title: info.Title, Started: words.Stamp(info.Started), Active: words.Stamp(info.Active),
		}})
		if err == nil {
			_, err = w.Write(append(bytes.TrimSuffix(head, []byte("}")), `,"blocks":[`...))
		}
		return err
	}
	err = store.Each(ctx, name, begin, func(b transcript.Block) error {
		line, err := encoded(exportedBlock{
			ID: b.ID, Kind: string(b.Kind), Time: words.Stamp(b.Time), Agent: b.Agent, Model: b.Model, Parent: b.Parent, Task: b.Task,
			Context: b.Context, Through: b.Through, By: b.By, Note: b.Note, Attrs: b.Attrs, Text: b.Text,
		})
		if blocks > 0 {
			line = append([]byte(","), line...)
		}
		blocks++
		if err == nil {
			_, err = w.Write(line)
		}
		return err
	})
	if err == nil {
		_, err = io.WriteString(w, "]}\n")
	}
	return blocks, err
}

// attachedFiles returns the files attached to a session.
func attachedFiles(ctx context.Context, store *sessionmem.Store, name string) ([]transcript.Attachment, error) {
	var with []transcript.Block
	err := store.Each(ctx, name, func(transcript.Info, string) error { return nil }, func(b transcript.Block) error {
		if len(b.Attachments()) > 0 {
			with = append(with, b)
		}
		return nil
	})
	return transfer.Files(with), err
}

// exportZip writes a session with its files.
func exportZip(ctx context.Context, c *cmdline.Line, store *sessionmem.Store, name string, w io.Writer, files []transcript.Attachment) (blocks int, err error) {
	text := func(w io.Writer) error {
		blocks, err = store.Write(ctx, name, w)
		return err
	}
	missing, err := transfer.Zip(w, name, text, files, func(a transcript.Attachment) ([]byte, error) { return store.ReadAttachment(name, a) })
	if len(missing) > 0 {
		c.Note(words.Count(len(missing), "attached file") + " can't be read and left out: " + strings.Join(missing, ", "))
	}
	return blocks, err
}

// exportHTML writes the shown branch of a session as one HTML file.
func exportHTML(ctx context.Context, store *sessionmem.Store, name string, w io.Writer) (blocks int, err error) {
	t, err := store.Load(ctx, name)
	if err != nil {
		return 0, err
	}
	return len(t.Branch()), transfer.HTML(w, t, transfer.HTMLParams{
		Words: transfer.HTMLWords{
			You: "You", Somebody: "Somebody", Assistant: "Assistant", Thought: "Thought", Written: "As the model wrote it:",
			Date:    func(t time.Time) string { return t.Local().Format("2 January 2006 15:04") },
			Tool:    func(name string) string { return name },
			Failed:  func(why string) string { return "failed: " + why },
			Note:    noteWords,
			Summary: func(n int) string { return words.Count(n, "older message") + " summarised" },
		},
		Read: func(a transcript.Attachment) ([]byte, error) { return store.ReadAttachment(name, a) },
	})
}

// noteWords returns the line of a Note in a page, or "" for one that people needn't see.
func noteWords(b transcript.Block, _ []transcript.Block) string {
	switch b.Note {
	case transcript.NoteTitle, transcript.NoteRewind, transcript.NoteVersion, transcript.NoteSettings:
		return ""
	case transcript.NoteEnded:
		return "new topic from here"
	case transcript.NoteInterrupted:
		return "stopped"
	}
	_, detail, _ := strings.Cut(b.Note, " ")
	return cmp.Or(strings.TrimSpace(cmp.Or(detail, b.Text)), b.Note)
}

// encoded returns JSON without HTML escapes and without a line end.
func encoded(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
