package transfer

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"

	_ "modernc.org/sqlite" // the driver, without cgo
)

// databases are the kinds of conversations in SQLite, each with the columns that make it one.
var databases = []struct {
	name    string
	columns []string                           // "table.column"
	read    func(r *reading, db *sql.DB) error // nil: it isn't read
}{
	{"Ollama's app", []string{"chats.title", "messages.chat_id", "messages.role", "messages.content"}, (*reading).ollama},
	{"llm", []string{"conversations.name", "responses.prompt", "responses.response"}, (*reading).llm},
	{"Open WebUI's database (export the chats as JSON there, in Settings → Data controls)", []string{"chat.chat", "user.email"}, nil},
	{"AnythingLLM's database", []string{"workspace_chats.response"}, nil},
	{"the storage of an editor such as VS Code or Cursor", []string{"ItemTable.value"}, nil},
}

// database reads the conversations of a SQLite file. It works on a copy: opening a database may
// write beside it, and its program may be running.
func (r *reading) database(e *item) (err error) {
	defer func() {
		if err != nil && !errors.Is(err, ErrDamaged) {
			r.holds[path.Ext(e.name)] = true // so that it is named
		}
	}()
	dir, err := os.MkdirTemp("", "mac-stats-import-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // in the temporary folder
	file := filepath.Join(dir, "copy.db")
	if e.file == "" {
		err = r.copy(e.raw, file)
	} else {
		err = r.snapshot(e.file, file)
	}
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // a copy
	columns, tables, err := r.columns(db)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for _, d := range databases {
		if slices.ContainsFunc(d.columns, func(c string) bool { return !columns[c] }) {
			continue
		}
		if d.read == nil {
			r.looks = cmp.Or(r.looks, d.name)
			return nil
		}
		r.known, r.holds[path.Ext(e.name)] = true, true
		if err := d.read(r, db); err != nil {
			return cmp.Or(context.Cause(r.ctx), err)
		}
		return nil
	}
	if r.looks == "" && len(tables) > 0 {
		r.looks = "a SQLite database with the tables " + strings.Join(tables[:min(len(tables), 5)], ", ")
	}
	return nil
}

// ErrBusy means that a program writes to its database without a pause.
var ErrBusy = errors.New("its program is writing to it; close that program and import again")

// snapshot copies a database with what its program hasn't put into it yet (-wal), or hasn't taken
// out of it yet (-journal). Those come first: as long as the database itself stays as it is, more
// of them is only more. If it changed meanwhile, all is copied again.
func (r *reading) snapshot(from, to string) error {
	state := func() (string, error) {
		fi, err := os.Stat(from)
		if err != nil {
			return "", err
		}
		heads := make([]byte, 200) // with counts of changes
		for of, head := range map[string][]byte{"": heads[:100], "-wal": heads[100:132]} {
			if f, err := os.Open(from + of); err == nil {
				_, _ = io.ReadFull(f, head) // an empty one has none
				_ = f.Close()
			}
		}
		return fmt.Sprint(fi.Size(), fi.ModTime().UnixNano(), string(heads)), nil
	}
	for try := range 5 {
		if try > 0 {
			select {
			case <-time.After(time.Duration(try) * 200 * time.Millisecond):
			case <-r.ctx.Done():
				return context.Cause(r.ctx)
			}
		}
		before, err := state()
		for _, beside := range []string{"-wal", "-journal", ""} {
			if err == nil {
				if err = r.copy(func() (io.ReadCloser, error) { return os.Open(from + beside) }, to+beside); beside != "" && errors.Is(err, os.ErrNotExist) {
					err = nil
				}
			}
		}
		after, serr := state()
		if err = errors.Join(err, serr); err != nil || before == after {
			return err
		}
		for _, beside := range []string{"-wal", "-journal", ""} {
			_ = os.Remove(to + beside) // in the temporary folder
		}
	}
	return ErrBusy
}

func (r *reading) copy(open func() (io.ReadCloser, error), to string) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, &counted{in, r})
	return errors.Join(err, out.Close())
}

func (r *reading) columns(db *sql.DB) (columns map[string]bool, tables []string, err error) {
	columns = map[string]bool{}
	err = r.rows(db, `SELECT m.name AS t, c.name AS c FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type IN ('table', 'view') ORDER BY m.name`, func(o object) error {
		columns[o.text("t")+"."+o.text("c")] = true
		if !slices.Contains(tables, o.text("t")) {
			tables = append(tables, o.text("t"))
		}
		return nil
	})
	return columns, tables, err
}

// rows calls f for each row of a query. A later version of a program has other columns, so a row
// is read like an object of JSON.
func (r *reading) rows(db *sql.DB, query string, f func(object) error, args ...any) error {
	rows, err := db.QueryContext(r.ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err has said all
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]any, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		o := object{}
		for i, n := range names {
			o[n] = values[i]
		}
		if err := f(o); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ifThere is rows for a table that older versions lack.
func (r *reading) ifThere(db *sql.DB, query string, f func(object) error) error {
	err := r.rows(db, query, f)
	if err != nil && strings.Contains(err.Error(), "no such") {
		return nil
	}
	return err
}

// blob returns a function that reads a file from a database.
func (r *reading) blob(db *sql.DB, query string, row any) func() ([]byte, error) {
	return func() (data []byte, err error) {
		err = db.QueryRowContext(r.ctx, query, row).Scan(&data)
		return data, err
	}
}

// ollama reads the conversations of Ollama's app.
func (r *reading) ollama(db *sql.DB) error {
	chats := map[string]object{}
	calls, files := map[string][]object{}, map[string][]object{}
	err := r.rows(db, `SELECT * FROM chats`, func(o object) error { chats[o.text("id")] = o; return nil })
	if err == nil {
		err = r.ifThere(db, `SELECT message_id, function_name, function_arguments, function_result FROM tool_calls ORDER BY id`, func(o object) error {
			calls[o.text("message_id")] = append(calls[o.text("message_id")], o)
			return nil
		})
	}
	if err == nil {
		err = r.ifThere(db, `SELECT rowid AS row, message_id, filename FROM attachments ORDER BY rowid`, func(o object) error {
			files[o.text("message_id")] = append(files[o.text("message_id")], o)
			return nil
		})
	}
	if err != nil {
		return err
	}
	var c Conversation
	id, before := "", ""
	give := func() error {
		if id == "" {
			return nil
		}
		chat := chats[id]
		return r.give(c.complete("ollama", id, chat.text("title"), cmp.Or(chat.time("created_at"), r.in.made)))
	}
	err = r.rows(db, `SELECT * FROM messages ORDER BY chat_id, id`, func(m object) error {
		if chat := m.text("chat_id"); chat != id {
			if err := give(); err != nil {
				return err
			}
			c, id, before = Conversation{}, chat, ""
		}
		kind := kindOf(m.text("role"))
		d := r.draft(&c, m.text("id"), before, kind, m.time("created_at"), m.text("model_name"))
		before = d.ID
		if d.think(m.text("thinking")); m.text("role") == "tool" {
			d.call(m.text("tool_name"), m.text("content", "tool_result"))
		} else if kind != "" {
			d.say(m.text("content"))
		}
		for _, call := range calls[d.ID] {
			d.call(call.text("function_name"), call.text("function_arguments"), call.text("function_result"))
		}
		for _, f := range files[d.ID] {
			name := f.text("filename")
			d.Files = append(d.Files, File{Name: name, Picture: isPicture("", name), Data: r.blob(db, `SELECT data FROM attachments WHERE rowid = ?`, f["row"])})
		}
		d.finish()
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}

// llm reads the conversations that llm logged: each response with its prompt.
func (r *reading) llm(db *sql.DB) error {
	names := map[string]object{}
	calls, results, files, fragments := map[string][]object{}, map[string][]object{}, map[string][]object{}, map[string][]object{}
	collect := func(to map[string][]object) func(object) error {
		return func(o object) error { to[o.text("response_id")] = append(to[o.text("response_id")], o); return nil }
	}
	err := errors.Join(
		r.rows(db, `SELECT * FROM conversations`, func(o object) error { names[o.text("id")] = o; return nil }),
		r.ifThere(db, `SELECT response_id, name, arguments FROM tool_calls ORDER BY id`, collect(calls)),
		r.ifThere(db, `SELECT response_id, name, output FROM tool_results ORDER BY id`, collect(results)),
		r.ifThere(db, `SELECT p.response_id, a.rowid AS row, a.type, a.path, a.url, a.content IS NOT NULL AS there FROM prompt_attachments p JOIN attachments a ON a.id = p.attachment_id ORDER BY p."order"`, collect(files)),
		r.ifThere(db, `SELECT p.response_id, p.fragment_id FROM prompt_fragments p ORDER BY p."order"`, collect(fragments)),
	)
	if err != nil {
		return err
	}
	var c Conversation
	id, before := "", ""
	give := func() error {
		if id == "" {
			return nil
		}
		return r.give(c.complete("llm", id, names[id].text("name"), r.in.made))
	}
	err = r.rows(db, `SELECT * FROM responses ORDER BY conversation_id, datetime_utc, rowid`, func(m object) error {
		response := m.text("id")
		if conversation := cmp.Or(m.text("conversation_id"), response); conversation != id {
			if err := give(); err != nil {
				return err
			}
			c, id, before = Conversation{}, conversation, ""
		}
		at := m.time("datetime_utc")
		d := r.draft(&c, response+"-prompt", before, transcript.KindUser, at, "")
		for _, f := range fragments[response] {
			text, err := r.blob(db, `SELECT content FROM fragments WHERE id = ?`, f["fragment_id"])()
			if err != nil {
				d.missing(LeftFiles, "a fragment", notIncluded)
			} else {
				d.document("Fragment", "", string(text))
			}
		}
		d.say(m.text("prompt"))
		for _, f := range files[response] {
			kind := f.text("type")
			name := filepath.Base(cmp.Or(f.text("path", "url"), "attachment"))
			if picture := isPicture(kind, name); f.is("there") {
				d.Files = append(d.Files, File{Name: name, Picture: picture, Data: r.blob(db, `SELECT content FROM attachments WHERE rowid = ?`, f["row"])})
			} else if picture {
				d.missing(LeftPictures, f.text("path", "url"), notIncluded)
			} else {
				d.missing(LeftFiles, f.text("path", "url"), notIncluded)
			}
		}
		d.finish()
		a := r.draft(&c, response, d.ID, transcript.KindAssistant, at, m.text("model"))
		for _, call := range calls[response] {
			a.call(call.text("name"), call.text("arguments"))
		}
		for _, result := range results[response] {
			a.call(result.text("name"), result.text("output"))
		}
		a.think(m.text("reasoning"))
		a.say(m.text("response"))
		a.finish()
		before = a.ID
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}
