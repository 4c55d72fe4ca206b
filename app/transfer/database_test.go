package transfer

import (
	"database/sql"
	"errors"
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
