package recall

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"mac-stats/sessionmem/recall/index"
	"mac-stats/sessionmem/transcript"
)

// someTalk fills a bench with a few sessions and indexes them.
func someTalk(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	for i := range 6 {
		b.talk(fmt.Sprintf("cpu-s%d", i), fmt.Sprintf("the otter number %d swims", i), "it swims well", "what about herons?", "they stand in main.go:42, E0432")
	}
	b.sync()
	b.talk("cpu-last", "the wolf howls", "in the forest")
	b.sync()
	return b
}

// answers returns the texts that a question finds.
func (b *bench) answers(x *Index, text string) ([]string, error) {
	a, err := x.Search(b.Context(), Query{Text: text, Limit: 40, Now: b.now})
	var out []string
	for _, h := range a.Hits {
		out = append(out, fmt.Sprintf("%s %.4f %s", h.ID, h.Score, h.Text))
	}
	return out, err
}

func TestQuestionsOfEveryKindAreAnswered(t *testing.T) {
	b := someTalk(t)
	for _, c := range []struct {
		query string
		found bool
	}{
		{"", false},
		{"   \n", false},
		{"the of and", true}, // function words are searched if there are no others
		{`" OR *`, false},
		{`otter" OR "1"="1`, true},
		{"NEAR(otter heron)", true},
		{"otter*", true},
		{"🦦", false},
		{"otter 🦦", true},
		{"\x00\xff\xfe", false},
		{"zzzz", false},
		{"E0432", true},
		{"main.go:42", true},
		{strings.Repeat("otter ", 200_000), true},
		{strings.Repeat("x", 1<<20), false},
	} {
		a, err := b.x.Search(t.Context(), Query{Text: c.query, Now: b.now})
		if err != nil || (len(a.Hits) > 0) != c.found || a.State.Err != nil {
			t.Errorf("%.20q: %d hits, %v, want some: %v", c.query, len(a.Hits), err, c.found)
		}
	}
}

func TestADeletedIndexIsReportedAndRebuilt(t *testing.T) {
	b := someTalk(t)
	want, err := b.answers(b.x, "otter")
	if err != nil || len(want) == 0 {
		t.Fatal(want, err)
	}
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(filepath.Join(b.cache, "recall.db"+end)); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	b.x.compared.forget()
	if a := b.search("otter"); len(a.Hits) > 0 || a.State.Behind != 7 {
		t.Errorf("%+v, want 7 files behind", a)
	}
	b.sync()
	if got, err := b.answers(b.x, "otter"); err != nil || !slices.Equal(got, want) {
		t.Errorf("rebuilt: %v %v, want %v", got, err, want)
	}
}

func TestDamageNeverGivesAWrongAnswer(t *testing.T) {
	b := someTalk(t)
	want, err := b.answers(b.x, "otter swims")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.x.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(b.cache, "recall.db"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	damages := map[string][]byte{"empty": {}, "no database": []byte("this is no database, but long enough to be taken for one: " + strings.Repeat("x", 4096)), "cut short": whole[:len(whole)/2]}
	for i := range 80 {
		bad := slices.Clone(whole)
		at := r.IntN(len(bad) - 8)
		for j := range 8 {
			bad[at+j] ^= byte(1 + r.IntN(255))
		}
		damages[fmt.Sprintf("%d: 8 bytes at %d", i, at)] = bad
	}
	noticed, hidden := 0, 0
	for name, bad := range damages {
		b.cache = t.TempDir()
		if err := os.WriteFile(filepath.Join(b.cache, "recall.db"), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		x := b.open()
		got, err := b.answers(x, "otter swims")
		if err != nil {
			noticed++
		}
		if err == nil && len(bad) > 0 && !slices.Equal(got, want) { // the key of a row: it isn't found, or not in its place
			hidden++
			for _, h := range got {
				if !slices.ContainsFunc(want, func(w string) bool { return textOf(w) == textOf(h) }) {
					t.Errorf("%s: %q is no answer", name, h)
				}
			}
		}
		repair := x.Sync
		if err == nil {
			repair = x.Rebuild
		}
		if _, err := repair(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := b.answers(x, "otter swims"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: when it is built again %d hits, %v, want %d", name, len(got), err, len(want))
		}
		if err := x.Close(); err != nil {
			t.Errorf("%s: Close: %v", name, err)
		}
	}
	t.Logf("%d of %d damages were noticed, %d hid something", noticed, len(damages), hidden)
}

// textOf returns an answer without its score.
func textOf(answer string) string {
	id, rest, _ := strings.Cut(answer, " ")
	_, text, _ := strings.Cut(rest, " ")
	return id + " " + text
}

func TestMissingOrWrongRowsAreDamage(t *testing.T) {
	for _, harm := range []string{
		"DELETE FROM source WHERE id=1", "DELETE FROM source", "DELETE FROM meta WHERE key='change'", "DELETE FROM meta WHERE key='removed'",
		"UPDATE source SET heads=x''", "UPDATE source SET heads=details", "UPDATE source SET details=x''", "UPDATE source SET about=x'00'", "UPDATE source SET stamp='another'",
		"UPDATE source SET heads=(SELECT heads FROM source WHERE id=2) WHERE id=1", "UPDATE posting SET list=x''", "UPDATE posting SET list=zeroblob(length(list))",
		"UPDATE posting SET list=(SELECT list FROM posting WHERE term=CAST('swim' AS BLOB))", "UPDATE posting SET list=substr(list, 2)",
	} {
		b := someTalk(t)
		b.say("cpu-other", transcript.KindUser, "an otter and a wolf")
		for i := range 8 {
			b.say("cpu-more", transcript.KindUser, fmt.Sprintf("one more otter, number %d", i))
		}
		b.sync()
		want, err := b.answers(b.x, "otter wolf heron")
		if err != nil || len(want) < 20 {
			t.Fatal(len(want), err)
		}
		if err := b.x.Close(); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", "file:"+filepath.Join(b.cache, "recall.db"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := db.Exec(harm)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s: %d rows harmed, %v", harm, n, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		b.x = b.open()
		if got, err := b.answers(b.x, "otter wolf heron"); !errors.Is(err, ErrDamaged) {
			t.Errorf("after %s: %d hits and %v, want that it is damaged", harm, len(got), err)
		}
		b.sync()
		if got, err := b.answers(b.x, "otter wolf heron"); err != nil || !slices.Equal(got, want) {
			t.Errorf("after %s: %d hits, %v after a sync, want %d", harm, len(got), err, len(want))
		}
	}
}

func TestAFullDiskLeavesTheIndexUnchanged(t *testing.T) {
	b := someTalk(t)
	want, err := b.answers(b.x, "otter")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.cache, "recall.db"))
	if err != nil {
		t.Fatal(err)
	}
	var pages int
	err = errors.Join(db.QueryRow("PRAGMA page_count").Scan(&pages), db.Close())
	if err != nil {
		t.Fatal(err)
	}
	room := func(pages int) {
		b.x.options.Pages = pages
		if _, err := b.x.file.Unload(); err != nil {
			t.Fatal(err)
		}
	}
	room(pages)
	for i := range 60 {
		text := "a long text"
		for j := range 80 {
			text += fmt.Sprintf(" %c%c%crare%c", 'a'+i%26, 'a'+i/26, 'a'+j%26, 'a'+j/26)
		}
		b.say("cpu-last", transcript.KindUser, text)
	}
	_, err = b.x.Sync(t.Context())
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("Sync: %v, want that the disk is full", err)
	}
	b.x.compared.forget()
	if a := b.search("otter"); a.State.Behind != 1 {
		t.Errorf("%v, want 1 file behind", a.State)
	}
	if got, err := b.answers(b.x, "otter"); err != nil || !slices.Equal(got, want) {
		t.Errorf("meanwhile: %v %v, want %v", got, err, want)
	}
	room(0)
	if r := b.sync(); r.Added != 60 {
		t.Errorf("with room again: %+v, want 60 chunks", r)
	}
}

func TestALockedFileIsAnErrorWithANextStep(t *testing.T) {
	b := someTalk(t)
	if err := b.x.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.cache, "recall.db")+"?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE; UPDATE meta SET value=value WHERE key='change'"); err != nil {
		t.Fatal(err)
	}
	b.x = b.open()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if a, err := b.x.Search(ctx, Query{Text: "otter", Now: b.now}); err == nil || len(a.Hits) > 0 {
		t.Errorf("%+v %v, want an error", a, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := b.first("wolf"); got != "the wolf howls" {
		t.Errorf("afterwards %q is found", got)
	}
}

func TestErasingWhileAnotherProcessWritesFails(t *testing.T) {
	b := someTalk(t)
	b.x.cfg.ErasePatience = 20 * time.Millisecond
	other := flock.New(filepath.Join(b.cache, "recall.lock"))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := b.x.Erase(t.Context(), nil, []string{"cpu-s1"}, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("Erase: %v, want ErrBusy", err)
	}
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := b.x.Erase(t.Context(), nil, []string{"cpu-s1"}, nil); err != nil {
		t.Error(err)
	}
}

func TestAClosedIndexReturnsAnError(t *testing.T) {
	b := someTalk(t)
	x := b.open()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Search(t.Context(), Query{Text: "otter"}); !errors.Is(err, index.ErrClosed) {
		t.Errorf("Search: %v, want ErrClosed", err)
	}
	if _, err := x.Sync(t.Context()); !errors.Is(err, index.ErrClosed) {
		t.Errorf("Sync: %v, want ErrClosed", err)
	}
}

func TestAnErasedSessionCountsAsBehind(t *testing.T) {
	b := someTalk(t)
	all, err := b.x.Chunks(t.Context(), "cpu-s1")
	if err != nil || len(all) != 4 {
		t.Fatal(all, err)
	}
	if err := b.x.Erase(t.Context(), []string{all[0].ID}, []string{"cpu-s2"}, nil); err != nil {
		t.Fatal(err)
	}
	if a := b.search("heron"); a.State.Behind != 2 || len(a.Hits) == 0 {
		t.Errorf("%v %d hits, want 2 files behind: they are compared again", a.State, len(a.Hits))
	}
}
