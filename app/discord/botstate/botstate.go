// Package botstate holds the bot's own state: an SQLite file that may be deleted at any
// time, because the transcripts are the truth. It holds the last messages of each channel by
// ID, which messages were processed or wait for an answer, and the codes given to strangers.
package botstate

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite" // the driver, without cgo
	sqlite3 "modernc.org/sqlite/lib"
)

// The window is read in the order in which it was written (rowid), not by the clock, which
// may be set back.
const schema = `
CREATE TABLE IF NOT EXISTS channel_messages (
	id TEXT NOT NULL, channel TEXT NOT NULL, role TEXT NOT NULL, author TEXT NOT NULL, name TEXT NOT NULL,
	text TEXT NOT NULL, block TEXT NOT NULL, parts TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (channel, id));
CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS waiting (id TEXT PRIMARY KEY, channel TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS pairings (
	code TEXT PRIMARY KEY, user TEXT NOT NULL UNIQUE, name TEXT NOT NULL, at INTEGER NOT NULL, ends INTEGER NOT NULL);
PRAGMA user_version = 1;`

// The roles of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
)

const (
	seenFor = 14 * 24 * time.Hour
	// CodeLife is how long a pairing code is valid.
	CodeLife = 15 * time.Minute
	// maxCodes is the maximum number of waiting codes, so that a crowd of strangers can't
	// fill the list.
	maxCodes = 20
)

// Errors callers decide on.
var (
	ErrNoCode   = errors.New("there is no such code")
	ErrTooMany  = errors.New("too many strangers wait for an answer")
	ErrNotReady = errors.New("the bot's state can't be used")
)

// Message is a row of the window.
type Message struct {
	ID      string // Discord's ID
	Channel string
	Role    string
	Author  string // an ID, or IDs separated by blanks if there are several authors
	Name    string
	Text    string   // cut to Config.MaxChars
	Block   string   // the ID of the transcript's block
	Parts   []string // IDs of the other messages that belong to it
	At      time.Time
}

// Config is the location and the limits of the state.
type Config struct {
	File string // "" to keep it in memory
	// Private keeps messages, and the set of processed ones, only in memory. Strangers'
	// codes are in the file anyway: they hold no text, and commands in another process must
	// find them.
	Private  bool
	MaxChars int // of a message's text; 4000 if 0
	Keep     int // messages of a channel; 12 if 0
}

// State is the open state. It is safe for concurrent use by several goroutines and
// processes.
type State struct {
	db       *sql.DB
	codes    *sql.DB // the same as db unless that is private
	maxChars int
	keep     int
}

// Open opens the state. A damaged file is set aside and replaced: everything in it is
// elsewhere too.
func Open(ctx context.Context, cfg Config) (*State, error) {
	s, err := open(ctx, cfg)
	if err == nil || !damaged(err) {
		return s, err
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := os.Remove(cfg.File + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: %w", ErrNotReady, err)
		}
	}
	if renameErr := os.Rename(cfg.File, cfg.File+".damaged"); renameErr != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotReady, errors.Join(err, renameErr))
	}
	return open(ctx, cfg)
}

// damaged reports whether a file can't be opened because of its content. A full disk, for
// example, is no reason to replace it.
func damaged(err error) bool {
	var of *sqlite.Error
	if !errors.As(err, &of) {
		return false
	}
	code := of.Code() & 0xff // without the details
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

func open(ctx context.Context, cfg Config) (*State, error) {
	s := &State{maxChars: cfg.MaxChars, keep: cfg.Keep}
	if s.maxChars <= 0 {
		s.maxChars = 4000
	}
	if s.keep <= 0 {
		s.keep = 12
	}
	var err error
	if s.codes, err = openDB(ctx, cfg.File); err != nil {
		return nil, fmt.Errorf("opening the bot's state: %w", err)
	}
	s.db = s.codes
	if cfg.File != "" && cfg.Private {
		if s.db, err = openDB(ctx, ""); err != nil {
			return nil, errors.Join(fmt.Errorf("opening the bot's state: %w", err), s.codes.Close())
		}
	}
	return s, nil
}

// openDB opens a file, or a database in memory if file is "".
func openDB(ctx context.Context, file string) (*sql.DB, error) {
	name := "file::memory:?_pragma=secure_delete(1)"
	if file != "" {
		if err := makeFile(file); err != nil {
			return nil, err
		}
		name = "file:" + (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath() +
			"?_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=secure_delete(1)&_txlock=immediate"
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // one writer; also, each connection would have a memory database of its own
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// makeFile creates a missing file, because SQLite would make it readable for others.
func makeFile(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Close closes the files.
func (s *State) Close() error {
	if s.codes == s.db {
		return s.db.Close()
	}
	return errors.Join(s.db.Close(), s.codes.Close())
}

// Seen records that a message is being handled, and reports whether it was handled before,
// in this process or another.
func (s *State) Seen(ctx context.Context, id string) (bool, error) {
	now := time.Now()
	res, err := s.db.ExecContext(ctx, `INSERT OR IGNORE INTO seen (id, at) VALUES (?, ?)`, id, now.Unix())
	if err != nil {
		return false, fmt.Errorf("noting a message: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 0, err
}

// tidy deletes what is no longer needed.
func (s *State) tidy(ctx context.Context) error {
	now := time.Now()
	_, err := s.db.ExecContext(ctx, `DELETE FROM seen WHERE at < ?`, now.Add(-seenFor).Unix())
	_, codesErr := s.codes.ExecContext(ctx, `DELETE FROM pairings WHERE ends < ?`, now.Unix())
	return errors.Join(err, codesErr)
}

// Put adds messages to the window, each ID once, after the existing ones. That is the order
// of the conversation, which isn't the order of the times if a message waited for another's
// answer. It drops a channel's oldest messages beyond the window's size.
func (s *State) Put(ctx context.Context, list ...Message) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("keeping a message: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing to do after a commit
	channels := map[string]bool{}
	for _, m := range list {
		if runes := []rune(m.Text); len(runes) > s.maxChars {
			m.Text = string(runes[:s.maxChars])
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO channel_messages (id, channel, role, author, name, text, block, parts, at) VALUES (?,?,?,?,?,?,?,?,?)
			ON CONFLICT (channel, id) DO UPDATE SET text = excluded.text, block = excluded.block, parts = excluded.parts`,
			m.ID, m.Channel, m.Role, m.Author, m.Name, m.Text, m.Block, strings.Join(m.Parts, " "), m.At.UnixMilli())
		if err != nil {
			return fmt.Errorf("keeping a message: %w", err)
		}
		channels[m.Channel] = true
	}
	for channel := range channels {
		if _, err := tx.ExecContext(ctx, `DELETE FROM channel_messages WHERE channel = ?1 AND id NOT IN
			(SELECT id FROM channel_messages WHERE channel = ?1 ORDER BY rowid DESC LIMIT ?2)`, channel, s.keep); err != nil {
			return fmt.Errorf("keeping a message: %w", err)
		}
	}
	return tx.Commit()
}

// Window returns a channel's messages, oldest first.
func (s *State) Window(ctx context.Context, channel string) ([]Message, error) {
	return s.rows(ctx, channel)
}

// rows returns a channel's messages, or all.
func (s *State) rows(ctx context.Context, channel string) ([]Message, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, channel, role, author, name, text, block, parts, at FROM channel_messages
		WHERE channel = ?1 OR ?1 = '' ORDER BY rowid`, channel)
	if err != nil {
		return nil, fmt.Errorf("reading the window: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err returns the same error
	var list []Message
	for rows.Next() {
		var m Message
		var at int64
		var parts string
		if err := rows.Scan(&m.ID, &m.Channel, &m.Role, &m.Author, &m.Name, &m.Text, &m.Block, &parts, &at); err != nil {
			return nil, fmt.Errorf("reading the window: %w", err)
		}
		m.At, m.Parts = time.UnixMilli(at), strings.Fields(parts)
		list = append(list, m)
	}
	return list, rows.Err()
}

// Correct replaces the text of the message for a block of the transcript, or removes the
// message if text is "".
func (s *State) Correct(ctx context.Context, channel, block, text string) error {
	if runes := []rune(text); len(runes) > s.maxChars {
		text = string(runes[:s.maxChars])
	}
	query := `UPDATE channel_messages SET text = ?1 WHERE channel = ?2 AND block = ?3`
	if text == "" {
		query = `DELETE FROM channel_messages WHERE ?1 = '' AND channel = ?2 AND block = ?3`
	}
	if _, err := s.db.ExecContext(ctx, query, text, channel, block); err != nil {
		return fmt.Errorf("changing the window: %w", err)
	}
	return nil
}

// Clear empties a channel's window.
func (s *State) Clear(ctx context.Context, channel string) error {
	_, err := s.db.ExecContext(ctx, `DELETE FROM channel_messages WHERE channel = ?`, channel)
	return err
}

// ForgetAuthor removes a person's messages and codes from all channels, and returns the
// number of removed rows.
func (s *State) ForgetAuthor(ctx context.Context, author string) (int, error) {
	res, err := s.db.ExecContext(ctx, `DELETE FROM channel_messages WHERE instr(' ' || author || ' ', ' ' || ? || ' ') > 0`, author)
	if err != nil {
		return 0, fmt.Errorf("forgetting a person: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return 0, err
	}
	_, err = s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	_, codesErr := s.codes.ExecContext(ctx, `DELETE FROM pairings WHERE user = ?; PRAGMA wal_checkpoint(TRUNCATE)`, author)
	return int(n), errors.Join(err, codesErr)
}
