package library

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mac-stats/agents"
	"mac-stats/app/cpuwindow/conversation"
	"mac-stats/app/i18n"
	"mac-stats/app/osopen"
	"mac-stats/app/transfer"
	"mac-stats/sessionmem/transcript"
)

// Export writes the whole transcript to a Markdown file in the downloads folder, in a zip file
// with the files attached to it, if there are any.
func (l *Library) Export(in transcript.Info) {
	l.exportAs(in, ".md", transcript.Write, nil)
}

// ExportHTML writes a session to an HTML file in the downloads folder.
func (l *Library) ExportHTML(in transcript.Info) {
	l.exportAs(in, ".html", l.writeHTML(in, false), nil)
}

// Print writes a session to an HTML file made for printing and opens it.
func (l *Library) Print(in transcript.Info) {
	l.exportAs(in, ".html", l.writeHTML(in, true), l.host.OpenFile)
}

// exportAs writes a session to a new file in the downloads folder and calls then, which may be
// nil, with its path.
func (l *Library) exportAs(in transcript.Info, ext string, write func(io.Writer, *transcript.Transcript) error, then func(path string)) {
	path := ""
	l.Act(i18n.T("Exporting"), func(ctx context.Context) error {
		t, err := l.Load(ctx, in)
		if err != nil {
			return err
		}
		var data bytes.Buffer
		ext := ext
		if files := transfer.Files(t.Blocks); ext == ".md" && len(files) > 0 {
			ext = ".zip"
			_, err = transfer.Zip(&data, in.Name, func(w io.Writer) error { return write(w, t) }, files, func(a transcript.Attachment) ([]byte, error) { return l.parts.Attachment(in.Name, a) })
		} else {
			err = write(&data, t)
		}
		if err != nil {
			return fmt.Errorf("write the transcript: %w", err)
		}
		dir, err := osopen.ExportFolder()
		if err != nil {
			return err
		}
		if path, err = osopen.Export(dir, cmp.Or(in.Title, in.Name), ext, data.Bytes()); err != nil {
			return err
		}
		return l.parts.Marks.MarkExported(ctx, in.Name, path)
	}, func() {
		l.host.Offer(i18n.With("Exported to {{.Path}}", i18n.Places{"Path": path}), i18n.T("Show"), func() { l.host.RevealFile(path) })
		if then != nil {
			then(path)
		}
	})
}

// writeHTML returns a function that writes a session as HTML, which a browser prints or saves
// as PDF.
func (l *Library) writeHTML(in transcript.Info, toPrint bool) func(io.Writer, *transcript.Transcript) error {
	words := transfer.HTMLWords{
		You: i18n.T("You"), Somebody: i18n.T("Somebody"), Assistant: i18n.T("Assistant"), Thought: i18n.T("Thought"), Written: i18n.T("As the model wrote it:"),
		Date:    func(t time.Time) string { return i18n.LongDate(t.Local()) + t.Local().Format(" 15:04") },
		Tool:    func(name string) string { return conversation.ToolWords(name, true) },
		Failed:  func(why string) string { return i18n.With("failed: {{.Failed}}", i18n.Places{"Failed": why}) },
		Note:    conversation.NoteWords,
		Summary: func(n int) string { return i18n.Count("{{.N}} older messages summarised", n) },
	}
	return func(out io.Writer, t *transcript.Transcript) error {
		return transfer.HTML(out, t, transfer.HTMLParams{Words: words, Print: toPrint, Read: func(a transcript.Attachment) ([]byte, error) {
			return l.parts.Attachment(in.Name, a)
		}})
	}
}

// Copy copies the conversation to the clipboard as plain text.
func (l *Library) Copy(in transcript.Info) {
	text := ""
	l.Act(i18n.T("Copying"), func(ctx context.Context) error {
		t, err := l.Load(ctx, in)
		if err == nil {
			text = plainTranscript(t, time.Local)
		}
		return err
	}, func() {
		l.host.Copy(text)
		l.host.Offer(i18n.T("Copied as text"), "", nil)
	})
}

// plainTranscript returns a conversation to paste elsewhere: author, time and text, no IDs.
func plainTranscript(t *transcript.Transcript, loc *time.Location) string {
	var out strings.Builder
	out.WriteString(cmp.Or(t.Info.Title, t.Info.Name) + "\n")
	for _, b := range t.Branch() {
		if !b.IsMessage() && b.Kind != transcript.KindText || strings.TrimSpace(b.Text) == "" {
			continue
		}
		who := cmp.Or(agents.AuthorOf(b, i18n.T("Somebody")), i18n.T("You"))
		switch b.Kind {
		case transcript.KindText:
			who = ""
		case transcript.KindAssistant:
			who = cmp.Or(b.Agent, i18n.T("Assistant"))
		}
		when := ""
		if !b.Time.IsZero() {
			when = ", " + i18n.LongDate(b.Time.In(loc)) + b.Time.In(loc).Format(" 15:04")
		}
		if who != "" {
			out.WriteString("\n" + who + when + ":")
		}
		out.WriteString("\n" + b.Text + "\n")
	}
	return out.String()
}
