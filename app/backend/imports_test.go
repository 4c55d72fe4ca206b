package backend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mac-stats/app/transfer"
	"mac-stats/sessionmem/transcript"
)

// exported writes an export of Claude with the messages of one conversation, each as
// "id parent sender text". Their times have fractions of a second, which a transcript hasn't.
func exported(t *testing.T, messages ...string) string {
	t.Helper()
	var all []string
	for i, m := range messages {
		f := strings.SplitN(m, " ", 4)
		all = append(all, fmt.Sprintf(`{"uuid":%q,"parent_message_uuid":%q,"sender":%q,"text":%q,"created_at":"2026-01-02T08:00:%02d.734Z"}`, f[0], f[1], f[2], f[3], i))
	}
	file := filepath.Join(t.TempDir(), "conversations.json")
	text := `[{"uuid":"one","name":"Cups","created_at":"2026-01-02T08:00:00Z","chat_messages":[` + strings.Join(all, ",") + `]}]`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// imports imports a file and returns the counts.
func (r *importRig) imports(file string) Imported {
	r.t.Helper()
	got, err := r.b.Import(r.t.Context(), file, false, ImportWatch{})
	if err != nil {
		r.t.Fatal(err)
	}
	return got
}

type importRig struct {
	t *testing.T
	b *Backend
}

// branch returns what is said on the current branch of the session, and in how many versions.
func (r *importRig) branch() string {
	r.t.Helper()
	read, err := r.b.Store.Load(r.t.Context(), "claude-one")
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	versions := read.Versions()
	for _, b := range read.Branch() {
		if b.IsMessage() {
			text := b.Text
			if n := len(versions[b.ID]); n > 0 {
				text += fmt.Sprintf(" (%d versions)", n)
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, " | ")
}

func newImportRig(t *testing.T) *importRig {
	return &importRig{t, open(t, Options{Environ: environ(t.TempDir())})}
}

// laterExport is a second export of a conversation: what it has besides firstExport, and what is to
// come of it.
type laterExport struct {
	then  []string
	count Imported
	want  string
}

var firstExport = []string{"1 - human Tea?", "2 1 assistant Yes."}

// laterExports adds the ways in which every conversation goes on to the cases of one test.
func laterExports(more map[string]laterExport) map[string]laterExport {
	maps.Copy(more, map[string]laterExport{
		"the same again":      {nil, Imported{Present: 1}, "Tea? | Yes."},
		"two more":            {[]string{"3 2 human Green?", "4 3 assistant No."}, Imported{Continued: 1, Messages: 2}, "Tea? | Yes. | Green? | No."},
		"an answer repeated":  {[]string{"3 1 assistant Of course."}, Imported{Continued: 1, Messages: 1}, "Tea? | Of course. (2 versions)"},
		"a question edited":   {[]string{"3 - human Coffee?", "4 3 assistant No."}, Imported{Continued: 1, Messages: 2}, "Coffee? (2 versions) | No."},
		"both branches go on": {[]string{"3 1 assistant Sure.", "4 2 human Green?", "5 3 human Black?"}, Imported{Continued: 1, Messages: 3}, "Tea? | Sure. (2 versions) | Black?"},
	})
	return more
}

// given a later export, then a second import adds the messages that have come since, wherever they
// stand, and nothing else
func TestALaterExportAddsWhatIsNew(t *testing.T) {
	for name, c := range laterExports(map[string]laterExport{
		"nothing to see": {[]string{"3 2 human  "}, Imported{Present: 1}, "Tea? | Yes."},
	}) {
		t.Run(name, func(t *testing.T) {
			r := newImportRig(t)
			if got := r.imports(exported(t, firstExport...)); got.Conversations != 1 || got.Messages != 2 {
				t.Fatalf("%+v", got)
			}
			later := exported(t, append(slices.Clone(firstExport), c.then...)...)
			dry, err := r.b.Import(t.Context(), later, true, ImportWatch{})
			got := r.imports(later)
			dry.From, dry.To, got.From, got.To = time.Time{}, time.Time{}, time.Time{}, time.Time{}
			got.LeftOut, dry.LeftOut = nil, nil
			if diff := cmp.Diff(c.count, got); diff != "" {
				t.Errorf("the counts: %s", diff)
			}
			if diff := cmp.Diff(got, dry); diff != "" || err != nil {
				t.Errorf("counting alone: %v, %s", err, diff)
			}
			if got := r.branch(); got != c.want {
				t.Errorf("the branch is %q, want %q", got, c.want)
			}
			if again := r.imports(later); again.Present != 1 {
				t.Errorf("once more: %+v", again)
			}
		})
	}
}

// given a record that lags behind the transcript or is lost, then a message that is in the
// transcript isn't new, and one that isn't there finds its place
func TestAnImportKnowsWhatIsThereWithoutItsRecord(t *testing.T) {
	for name, c := range laterExports(map[string]laterExport{
		"the same words": {[]string{"3 2 human Tea?", "4 3 assistant Yes."}, Imported{Continued: 1, Messages: 2}, "Tea? | Yes. | Tea? | Yes."},
		"only thoughts":  {[]string{"3 2 human Green?", "4 3 assistant <think>hm</think>"}, Imported{Continued: 1, Messages: 1}, "Tea? | Yes. | Green?"},
	}) {
		t.Run(name, func(t *testing.T) {
			r := newImportRig(t)
			record := filepath.Join(r.b.Paths.Home, "session", ".imported.jsonl")
			r.imports(exported(t, firstExport...))
			behind, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(record); err != nil {
				t.Fatal(err)
			}
			later := exported(t, append(slices.Clone(firstExport), c.then...)...)
			dry, err := r.b.Import(t.Context(), later, true, ImportWatch{})
			if err != nil {
				t.Fatal(err)
			}
			got := r.imports(later)
			for what, got := range map[string]Imported{"counted": dry, "imported": got} {
				got.From, got.To, got.LeftOut = time.Time{}, time.Time{}, nil
				if diff := cmp.Diff(c.count, got); diff != "" {
					t.Errorf("%s: %s", what, diff)
				}
			}
			whole, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			for what, data := range map[string][]byte{"a whole record": whole, "a record that lags behind": behind, "an empty record": nil} {
				if err := os.WriteFile(record, data, 0o600); err != nil {
					t.Fatal(err)
				}
				if again := r.imports(later); again.Present != 1 {
					t.Errorf("%s: %+v", what, again)
				}
				if got := r.branch(); got != c.want {
					t.Errorf("%s: the branch is %q, want %q", what, got, c.want)
				}
				now, err := os.ReadFile(record)
				if err != nil || !bytes.Contains(now, []byte(recordID("2"))) {
					t.Errorf("%s: what is there isn't recorded: %s, %v", what, now, err)
				}
			}
			if err := os.WriteFile(record, behind, 0o600); err != nil {
				t.Fatal(err)
			}
			r.imports(exported(t, append(append(slices.Clone(firstExport), c.then...), fmt.Sprintf("9 %d human Honey?", len(firstExport)+len(c.then)))...))
			if got := r.branch(); got != c.want+" | Honey?" {
				t.Errorf("one more behind a record that lags: %q", got)
			}
		})
	}
}

// given a person who went on in an imported conversation, then what they said stays current, and
// what came in the other program is a version of it
func TestWhatWasSaidHereStaysCurrent(t *testing.T) {
	r := newImportRig(t)
	first := []string{"1 - human Tea?", "2 1 assistant Yes."}
	r.imports(exported(t, firstExport...))
	for _, b := range []transcript.Block{{Kind: transcript.KindUser, Text: "And here?"}, {Kind: transcript.KindAssistant, Text: "Here too."}} {
		if _, err := r.b.Store.Append(t.Context(), "claude-one", b); err != nil {
			t.Fatal(err)
		}
	}
	r.imports(exported(t, append(first, "3 2 human There?", "4 3 assistant There.")...))
	if got, want := r.branch(), "Tea? | Yes. | And here? (2 versions) | Here too."; got != want {
		t.Errorf("the branch is %q, want %q", got, want)
	}
}

// given messages, a session or words that a person removed here, then no import brings them back
func TestAnImportBringsNothingBack(t *testing.T) {
	messages := []string{"1 - human Tea?", "2 1 assistant Yes, the secret word is heron-lantern.", "3 2 human Thanks."}
	more := append(messages, "4 3 assistant Welcome.")
	t.Run("a message cut out by hand", func(t *testing.T) {
		r := newImportRig(t)
		r.imports(exported(t, messages...))
		files, err := filepath.Glob(filepath.Join(r.b.Paths.Home, "session", "*.md"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		data, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		from, to := strings.Index(string(data), "## Assistant"), strings.LastIndex(string(data), "## User")
		if err := os.WriteFile(files[0], append(data[:from:from], data[to:]...), 0o600); err != nil {
			t.Fatal(err)
		}
		r.imports(exported(t, more...))
		if got := r.branch(); got != "Tea? | Thanks. | Welcome." {
			t.Errorf("the branch is %q", got)
		}
	})
	t.Run("a session", func(t *testing.T) {
		r := newImportRig(t)
		r.imports(exported(t, messages...))
		if err := r.b.Store.Delete(t.Context(), "claude-one"); err != nil {
			t.Fatal(err)
		}
		for _, trash := range []string{"in the trash", "gone"} {
			if got := r.imports(exported(t, more...)); got.Deleted != 1 || got.Conversations != 0 {
				t.Errorf("%s: %+v", trash, got)
			}
			if err := os.RemoveAll(filepath.Join(r.b.Paths.Home, "session", ".trash")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// given a conversation that an earlier version imported, which named no blocks and kept no record,
// then only what isn't in it is new
func TestAConversationOfAnEarlierVersionGoesOn(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 1, 2, 8, 0, s, 0, time.UTC) }
	messages := []string{"1 - human Tea?", "2 1 assistant Yes."}
	for name, c := range map[string]struct {
		question, answer time.Time
		text             string // of the answer
	}{
		"as it is exported":           {at(0), at(1), "Yes."},
		"in other words":              {at(0), at(1), "Yes, of course."},
		"out of order":                {at(1), at(0), "Yes."},
		"with the time of the import": {at(0).AddDate(0, 0, -1), at(0).AddDate(0, 0, -1), "Yes."},
	} {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, record lost %t", name, lost), func(t *testing.T) {
				r := newImportRig(t)
				old := []transcript.Block{
					transcript.Block{Kind: transcript.KindUser, Time: c.question, Text: "Tea?"}.WithSources(transcript.FromFile),
					transcript.Block{Kind: transcript.KindAssistant, Time: c.answer, Text: c.text}.WithSources(transcript.FromFile),
				}
				if _, err := r.b.Store.Session("claude-one").Append(t.Context(), old...); err != nil {
					t.Fatal(err)
				}
				later := messages
				want := "Tea? | " + c.text
				for _, more := range []string{"", "3 2 human Green?", "4 3 assistant Yes."} {
					count := Imported{Present: 1}
					if f := strings.SplitN(more, " ", 4); more != "" {
						later, want, count = append(later, more), want+" | "+f[3], Imported{Continued: 1, Messages: 1}
					}
					for _, count := range []Imported{count, {Present: 1}} {
						got := r.imports(exported(t, later...))
						got.From, got.To, got.LeftOut = time.Time{}, time.Time{}, nil
						if diff := cmp.Diff(count, got); diff != "" {
							t.Errorf("%d messages: %s", len(later), diff)
						}
						if got := r.branch(); got != want {
							t.Errorf("the branch is %q, want %q", got, want)
						}
						if lost {
							if err := os.Remove(filepath.Join(r.b.Paths.Home, "session", ".imported.jsonl")); err != nil {
								t.Fatal(err)
							}
						}
					}
				}
			})
		}
	}
}

// given pictures and files of an export, then they are kept with the session
func TestPicturesComeWithTheirMessage(t *testing.T) {
	r := newImportRig(t)
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	cup := out.String()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"cup.png": cup, "cut.png": cup[:40], "notes.txt": "green tea",
		"x.json": `[{"uuid":"one","chat_messages":[{"uuid":"1","sender":"human","text":"Look","files":[{"file_name":"cup.png"},{"file_name":"cut.png"},{"file_name":"notes.txt"}]}]}]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := r.imports(dir)
	read, err := r.b.Store.Load(t.Context(), "claude-one")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, a := range read.Blocks[0].Attachments() {
		data, err := r.b.Store.ReadAttachment("claude-one", a)
		names = append(names, fmt.Sprint(a.Name, " ", len(data), " ", err))
	}
	if want := []string{fmt.Sprint("cup.png ", len(cup), " <nil>"), "notes.txt 9 <nil>"}; !cmp.Equal(want, names) || got.LeftOut[transfer.LeftPictures] != 1 || !strings.Contains(read.Blocks[0].Text, "(cut.png can't be attached: ") {
		t.Errorf("kept %q, %+v\n%s", names, got, read.Blocks[0].Text)
	}
}

// given imported messages, then their words count as a file's, so that nothing is learnt from them
// without the person
func TestImportedWordsAreAFilesWords(t *testing.T) {
	r := newImportRig(t)
	r.imports(exported(t, "1 - human Tea?", "2 1 assistant <think>hm</think>Yes."))
	read, err := r.b.Store.Load(t.Context(), "claude-one")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range read.Blocks[:3] { // then comes the title
		if b.TextSources("claude-one") != transcript.FromFile {
			t.Errorf("%s %q comes from %s", b.Kind, b.Text, b.TextSources("claude-one"))
		}
	}
}

// many writes an export with this many conversations.
func many(t testing.TB, n int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "conversations.json")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		sep := ","
		if i == 0 {
			sep = "["
		}
		fmt.Fprintf(f, `%s{"uuid":"id-%d","name":"Cups %d","created_at":"2026-01-02T08:00:00Z","chat_messages":[`, sep, i, i)
		for k := range 8 {
			if k > 0 {
				fmt.Fprint(f, ",")
			}
			fmt.Fprintf(f, `{"uuid":"%d-%d","text":"%s","sender":"%s","created_at":"2026-01-02T08:00:0%dZ"}`, i, k, strings.Repeat("Which cup is the blue one? ", 1+k%2*20), []string{"human", "assistant"}[k%2], k)
		}
		fmt.Fprint(f, "]}")
	}
	fmt.Fprint(f, "]")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// given exports of different sizes, then a conversation of a large one costs as many steps as one
// of a small one, counted as allocations, and none stays in memory
func TestAnImportIsLinear(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	steps := func(n int) float64 {
		file := many(t, n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := b.Import(t.Context(), file, false, ImportWatch{})
		runtime.ReadMemStats(&after)
		if err != nil || got.Conversations+got.Present != n {
			t.Fatalf("imported %+v, %v", got, err)
		}
		return float64(after.Mallocs-before.Mallocs) / float64(got.Conversations)
	}
	small := steps(100)
	if large := steps(1700); large > 1.5*small {
		t.Errorf("a conversation takes %.0f steps among 1,600 and %.0f among 100", large, small)
	}
	if held := b.Store.Sessions().Rest(0); held > 0 {
		t.Errorf("%d conversations are held in memory", held)
	}
}

// given an import that is stopped, then what it counts is on disk, and the next one goes on
func TestAStoppedImportGoesOn(t *testing.T) {
	b := open(t, Options{Environ: environ(t.TempDir())})
	file := many(t, 300)
	ctx, stop := context.WithCancel(t.Context())
	first, err := b.Import(ctx, file, false, ImportWatch{Progress: func(read, of int64, conversations, fresh int) {
		if read > of {
			t.Errorf("%d bytes read of %d", read, of)
		}
		if conversations > 100 {
			stop()
		}
	}})
	list, lerr := b.Store.List(t.Context())
	if !errors.Is(err, context.Canceled) || lerr != nil || first.Conversations < 100 || len(list) != first.Conversations {
		t.Fatalf("%+v, %d on disk, %v, %v", first, len(list), err, lerr)
	}
	second, err := b.Import(t.Context(), file, false, ImportWatch{})
	if err != nil || second.Conversations != 300-first.Conversations || second.Present != first.Conversations {
		t.Errorf("%+v, %v", second, err)
	}
}

// BenchmarkImport imports 20,000 conversations.
func BenchmarkImport(b *testing.B) {
	file := many(b, 20_000)
	for b.Loop() {
		home := open(b, Options{Environ: environ(b.TempDir())})
		got, err := home.Import(b.Context(), file, false, ImportWatch{})
		if err != nil || got.Conversations != 20_000 {
			b.Fatalf("%+v, %v", got, err)
		}
	}
}
