package transfer

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made returns a database made by these statements.
func made(t *testing.T, statements string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

const ollamaDB = `
CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT, created_at TIMESTAMP);
CREATE TABLE messages (id INTEGER PRIMARY KEY, chat_id TEXT, role TEXT, content TEXT, thinking TEXT, model_name TEXT, created_at TIMESTAMP);
CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, message_id INTEGER, function_name TEXT, function_arguments TEXT, function_result TEXT);
CREATE TABLE attachments (id INTEGER PRIMARY KEY, message_id INTEGER, filename TEXT, data BLOB);
INSERT INTO chats VALUES ('B-2', 'Soup', '2026-01-03 08:00:00'), ('a-1', 'Tea', '2026-01-02 08:00:00');
INSERT INTO messages VALUES (1, 'a-1', 'user', 'Hi', '', NULL, '2026-01-02 08:00:01.5+00:00'), (3, 'a-1', 'assistant', 'Hello', 'hm', 'qwen3:8b', '2026-01-02 08:00:02+00:00'), (2, 'B-2', 'user', 'Soup?', '', NULL, 'never');
INSERT INTO tool_calls VALUES (1, 3, 'calc', '1+1', '2');
INSERT INTO attachments VALUES (1, 1, 'cup.png', x'504e47');
`

const llmDB = `
CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT);
CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB);
CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER);
INSERT INTO conversations VALUES ('01abc', 'Tea', 'gpt');
INSERT INTO responses VALUES ('r2', 'gpt', 'And green?', '', 'Two minutes.', '01abc', '2026-01-02T08:00:05.123456'), ('r1', 'gpt', 'How long?', 'be brief', 'Three.', '01abc', '2026-01-02T08:00:01'), ('r3', 'old', 'Alone', NULL, 'Yes', NULL, '2025-01-02T08:00:01');
INSERT INTO attachments VALUES ('x', 'image/png', NULL, NULL, x'504e47'), ('y', 'text/plain', '/etc/passwd', NULL, NULL);
INSERT INTO prompt_attachments VALUES ('r1', 'x', 0), ('r1', 'y', 1);
`

// given the database of a program, in a file of any name, a folder or a zip file, then its
// conversations are read, and nothing that it only points to
func TestDatabasesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		statements string
		want       map[string]string
	}{
		"Ollama's app": {ollamaDB, map[string]string{
			"ollama-a1 Tea":  "user : Hi [cup.png: PNG]\nnote: hm\ntoolcalc: 1+1⏎⏎2\nassistant qwen3:8b: Hello\n",
			"ollama-b2 Soup": "user : Soup?\n",
		}},
		"llm": {llmDB, map[string]string{
			"llm-01abc Tea": "user : How long?⏎⏎(a file: /etc/passwd; it isn't in the export) [attachment: PNG]\nleft out: files\nassistant gpt: Three.\nuser : And green?\nassistant gpt: Two minutes.\n",
			"llm-r3 ":       "user : Alone\nassistant old: Yes\n",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			file := made(t, c.statements)
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{file, write(t, "all.zip", map[string]string{"a/logs.txt": string(data)}), write(t, "folder", map[string]string{"notes.md": "x", "app.data": string(data)})} {
				list, bad, err := all(t, file)
				got := map[string]string{}
				for _, conv := range list {
					got[conv.Session+" "+conv.Title] = describe(conv)
				}
				if diff := cmp.Diff(c.want, got); diff != "" || err != nil || len(bad) > 0 {
					t.Errorf("%s: %v, %v\n%s", file, bad, err, diff)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(left) != 1 {
				t.Errorf("reading left %q", left)
			}
		})
	}
}

// given a database that its program has open, then what it wrote last is read
func TestADatabaseInUseIsRead(t *testing.T) {
	file := made(t, "PRAGMA journal_mode = WAL;"+ollamaDB)
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO messages VALUES (9, 'B-2', 'assistant', 'Leek.', '', 'm', '2026-01-03 09:00:00')`); err != nil {
		t.Fatal(err)
	}
	list, _, err := all(t, file)
	if err != nil || len(list) != 2 || !strings.Contains(describe(list[0])+describe(list[1]), "Leek.") {
		t.Errorf("%d, %v", len(list), err)
	}
}

// given a program that writes while its database is read, then what is read is a state that the
// database had: no part is older than another. Its program may take all it wrote into the database
// between two reads.
func TestADatabaseThatIsWrittenMeanwhile(t *testing.T) {
	for _, mode := range []string{"WAL", "DELETE"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			file := made(t, "PRAGMA journal_mode = "+mode+";"+ollamaDB+"CREATE TABLE ballast (x BLOB); INSERT INTO ballast VALUES (zeroblob(3000000));")
			db, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			n := 0
			write := func() {
				n++
				for _, statement := range []string{
					fmt.Sprintf(`INSERT INTO chats VALUES ('n-%d', 'Talk %d', '2026-01-03 08:00:00')`, n, n),
					fmt.Sprintf(`INSERT INTO messages VALUES (%d, 'n-%d', 'user', 'Said %d', '', NULL, '2026-01-03 09:00:00')`, 100+n, n, n),
					"PRAGMA wal_checkpoint(TRUNCATE)",
				} {
					if _, err := db.Exec(statement); err != nil {
						t.Fatal(err)
					}
				}
			}
			for at := range 3 { // while what is read the how-manyeth time
				reads := 0
				var list []Conversation
				err = EachConversation(t.Context(), file, func(c Conversation) error { list = append(list, c); return nil }, Watch{Read: func(int64, int64) {
					if reads++; reads == 1+20*at {
						write()
					}
				}})
				said := map[string]bool{}
				for _, c := range list {
					said[c.Title] = len(c.Messages) == 1
				}
				if err != nil || n != at+1 || len(list) != 2+n || !said[fmt.Sprintf("Talk %d", n)] {
					t.Errorf("%s, %d: %d conversations of %d: %v", mode, at, len(list), 2+n, err)
				}
			}
			reads := 0
			err = EachConversation(t.Context(), file, func(Conversation) error { return nil }, Watch{Read: func(int64, int64) {
				if reads++; reads%10 == 1 {
					write()
				}
			}})
			if !errors.Is(err, ErrBusy) {
				t.Errorf("%s, written without a pause: %v", mode, err)
			}
		})
	}
}

// given a folder with a database that is cut or damaged, then it is named, and the rest is read
func TestADamagedDatabaseCostsOnlyItself(t *testing.T) {
	data, err := os.ReadFile(made(t, ollamaDB+strings.Repeat("INSERT INTO messages (chat_id, role, content) VALUES ('a-1', 'user', hex(zeroblob(3000)));", 20)))
	if err != nil {
		t.Fatal(err)
	}
	list, bad, err := all(t, write(t, "folder", map[string]string{"a.db": string(data[:len(data)/2]), "b.db": string(data), "c.json": chatGPT, "d.db": "SQLite format 3\x00 and nothing more"}))
	if err != nil || len(list) < 3 || len(bad) != 2 || !strings.Contains(fmt.Sprint(bad), " a.db: ") || !strings.Contains(fmt.Sprint(bad), " d.db: ") {
		t.Errorf("%d read, %q, %v", len(list), bad, err)
	}
}

func TestOtherDatabasesAreNamed(t *testing.T) {
	for want, statements := range map[string]string{
		"Open WebUI's database":         "CREATE TABLE chat (id, chat); CREATE TABLE user (id, email)",
		"with the tables apples, pears": "CREATE TABLE pears (a); CREATE TABLE apples (b)",
		"the storage of an editor":      "CREATE TABLE ItemTable (key, value)",
		"no conversations of a known":   "CREATE TABLE x (a); DROP TABLE x",
	} {
		if _, _, err := all(t, made(t, statements)); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, _, err := all(t, one(t, "SQLite format 3\x00 and nothing more")); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged one: %v", err)
	}
}
