package settings

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mac-stats/app/transfer"
	"mac-stats/app/ui/screentest"
)

func TestImportWords(t *testing.T) {
	newBench(t)
	day := time.Date(2026, 1, 2, 8, 0, 0, 0, time.UTC)
	for want, got := range map[string]Imported{
		"1 conversation with 2 messages to import. Of 2 January 2026.":                           {Conversations: 1, Messages: 2, From: day, To: day.Add(time.Hour)},
		"2 conversations with 4 messages to import. From 2 January 2026 to 3 January 2026.":      {Conversations: 2, Messages: 4, From: day, To: day.Add(20 * time.Hour)},
		"Nothing new: 1 conversation is here already.":                                           {Present: 1},
		"0 conversations with 0 messages to import. Left out: 1 empty.":                          {Empty: 1},
		"Nothing new: 2 conversations are here already. Left out: 1 deleted here, 1 unreadable.": {Present: 2, Deleted: 1, Unreadable: 1},
		"0 conversations with 3 messages to import. 1 conversation that was here goes on. Of 2 January 2026. Left out: 4 already here, 1 in use. Not imported, and named where they stood: 2 pictures, 1 unknown part.": {
			Continued: 1, Messages: 3, Present: 4, Busy: 1, From: day, To: day, LeftOut: map[transfer.Left]int{transfer.LeftPictures: 2, transfer.LeftOthers: 1},
		},
	} {
		if words := importWords(got, true); words != want {
			t.Errorf("%q, want %q", words, want)
		}
	}
}

func TestAnExportIsCountedBeforeItIsImported(t *testing.T) {
	screentest.InBubble(t, func(t *testing.T) {
		b := newBench(t)
		var calls []string
		b.parts.Import = func(ctx context.Context, file string, dry bool, progress func(percent, conversations int)) (Imported, error) {
			calls = append(calls, fmt.Sprint(file, " ", dry))
			switch file {
			case "other.zip":
				return Imported{}, fmt.Errorf("reading: %w", transfer.ErrFormat)
			case "known.zip":
				return Imported{}, fmt.Errorf("reading: %w", &transfer.LooksError{What: "an export of Grok"})
			case "long.zip":
				progress(40, 1234)
				<-ctx.Done()
				return Imported{Conversations: 2, Messages: 5, From: time.Now(), To: time.Now()}, ctx.Err()
			}
			return Imported{Conversations: 3, Messages: 40, Present: 2, From: time.Date(2023, 1, 3, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)}, nil
		}
		b.open()
		wantResult := func(want string) {
			t.Helper()
			if got := b.page.imports.result.Flat; got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		}
		b.page.search.Entry.SetText("chatgpt")
		b.Sees("Import from ChatGPT, Claude and others")
		b.chosen = "export.zip"
		b.tap("Choose a file…")
		wantResult("3 conversations with 40 messages to import. From 3 January 2023 to 5 November 2026. Left out: 2 already here.")
		b.tap("Import")
		wantResult("3 conversations with 40 messages imported. From 3 January 2023 to 5 November 2026. Left out: 2 already here.")
		b.chosen = "other.zip"
		b.tap("Choose a file…")
		wantResult("There are no conversations of a known kind in this file. Choose the zip file that ChatGPT or Claude sent, or a file of JSON from another assistant.")
		b.chosen = "known.zip"
		b.tap("Choose a folder…")
		wantResult("This looks like an export of Grok, which isn't read.")
		b.chosen = "long.zip"
		b.tap("Choose a file…")
		wantResult("Reading the file… 40 %, 1,234 conversations")
		b.tap("Stop")
		b.Sees("Stopped. What was imported stays.")
		if want := "[export.zip true export.zip false other.zip true known.zip true long.zip true]"; fmt.Sprint(calls) != want {
			t.Errorf("asked for %v, want %v", calls, want)
		}
	})
}
