package botstate

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"
)

// Pairing is a stranger who waits to be let in.
type Pairing struct {
	Code string
	User string
	Name string
	At   time.Time
	Ends time.Time
}

// letters are the letters of codes; none look alike.
const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"

// Pair gives a stranger a code. A stranger with a valid code keeps it, and fresh is false.
func (s *State) Pair(ctx context.Context, user, name string) (p Pairing, fresh bool, err error) {
	now := time.Now()
	if err := s.tidy(ctx); err != nil {
		return p, false, fmt.Errorf("making a code: %w", err)
	}
	waiting, err := s.Pairings(ctx)
	if err != nil {
		return p, false, err
	}
	for _, w := range waiting {
		if w.User == user {
			return w, false, nil
		}
	}
	if len(waiting) >= maxCodes {
		return p, false, ErrTooMany
	}
	p = Pairing{Code: newCode(), User: user, Name: name, At: now, Ends: now.Add(CodeLife)}
	_, err = s.codes.ExecContext(ctx, `INSERT OR REPLACE INTO pairings (code, user, name, at, ends) VALUES (?,?,?,?,?)`, p.Code, p.User, p.Name, p.At.Unix(), p.Ends.Unix())
	if err != nil {
		return p, false, fmt.Errorf("making a code: %w", err)
	}
	return p, true, nil
}

func newCode() string {
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	var b strings.Builder
	for i, c := range raw {
		if i == 4 {
			b.WriteByte('-')
		}
		b.WriteByte(letters[int(c)%len(letters)])
	}
	return b.String()
}

// Pairings returns the waiting strangers, oldest first.
func (s *State) Pairings(ctx context.Context) ([]Pairing, error) {
	rows, err := s.codes.QueryContext(ctx, `SELECT code, user, name, at, ends FROM pairings WHERE ends >= ? ORDER BY at, code`, time.Now().Unix())
	if err != nil {
		return nil, fmt.Errorf("reading who waits: %w", err)
	}
	defer func() { _ = rows.Close() }() // Err returns the same error
	var list []Pairing
	for rows.Next() {
		var p Pairing
		var at, ends int64
		if err := rows.Scan(&p.Code, &p.User, &p.Name, &at, &ends); err != nil {
			return nil, fmt.Errorf("reading who waits: %w", err)
		}
		p.At, p.Ends = time.Unix(at, 0), time.Unix(ends, 0)
		list = append(list, p)
	}
	return list, rows.Err()
}

// Whose returns the stranger with this valid code. Case and the dash don't matter.
func (s *State) Whose(ctx context.Context, code string) (Pairing, error) {
	waiting, err := s.Pairings(ctx)
	if err != nil {
		return Pairing{}, err
	}
	for _, p := range waiting {
		if bare(p.Code) == bare(code) {
			return p, nil
		}
	}
	return Pairing{}, fmt.Errorf("%w: codes hold for %d minutes; the stranger gets a new one by writing to the bot again", ErrNoCode, int(CodeLife.Minutes()))
}

// EndPairing removes a waiting code, because its owner was let in.
func (s *State) EndPairing(ctx context.Context, p Pairing) error {
	if _, err := s.codes.ExecContext(ctx, `DELETE FROM pairings WHERE code = ?`, p.Code); err != nil {
		return fmt.Errorf("ending a code: %w", err)
	}
	return nil
}

func bare(code string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return -1
		}
		return r
	}, code))
}
