package forgotten

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// The machines of one person share what was forgotten. What a machine shares is sealed with
// the key of its hashes, so that a server between the machines learns only the number,
// length and time of arrival of forgettings: no hash and no time span. The key itself is
// sealed to each machine's public key (HPKE, RFC 9180). Somebody who can write to the
// server could store a public key of their own there, and therefore must be trusted as much
// as with the texts that searches find there. Somebody who reads a backup, a replica or the
// server's log learns nothing. A key that the person types on each machine would protect
// against the former too, but a lost one couldn't be recovered. A server's password
// wouldn't serve as such a key: it may change, and isn't always there (a certificate, a
// socket).

// Shared is a forgetting in the form in which machines share it.
type Shared struct {
	ID    string
	KeyID string // the ID of the key that seals it
	Box   []byte
}

// sharedForgetting is the content of a Box.
type sharedForgetting struct {
	Begin Forgetting  `json:"begin"`
	Lines []traceLine `json:"lines"`
}

// ErrNoKey means that another machine's forgetting is sealed with a key that this machine
// doesn't have yet.
var ErrNoKey = errors.New("a machine that knows the key of what was forgotten has to be online once")

// BoardState is the content of a Board.
type BoardState struct {
	Ahead    time.Duration     // how far its clock is ahead of this machine's
	Noted    map[string]string // from the IDs of forgettings to those of their keys
	Unswept  []string          // those of them for which Sweep wasn't completed
	Keys     []SealedKey       // for this machine
	Machines []BoardMachine    // all that have a public key, including this one
}

// SealedKey is a key for one machine.
type SealedKey struct {
	ID      string
	Machine int32
	Box     []byte
}

// BoardMachine is a machine that uses the Board.
type BoardMachine struct {
	Number int32
	Name   string
	Mine   bool
	Public []byte
	Has    []string // IDs of the keys stored for it
}

// Share returns the recorded forgettings that others don't know. It shifts their times by
// how far the shared clock is ahead of this machine's.
func (f *Record) Share(known func(id string) bool, ahead time.Duration) (out []Shared, err error) {
	all := f.Traces()
	for _, g := range all.at {
		if known(g.ID) {
			continue
		}
		s := sharedForgetting{Begin: *g, Lines: all.only(g).lines}
		s.Begin.move(ahead)
		s.Begin.Begun = time.Time{} // differs between machines
		text, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("sharing what was forgotten: %w", err)
		}
		aead, err := sharing(g.key)
		if err != nil {
			return nil, err
		}
		out = append(out, Shared{ID: g.ID, KeyID: keyID(g.key), Box: aead.Seal(nil, nil, text, []byte(g.ID))})
	}
	return out, nil
}

// Open returns a draft of what another machine forgot, or ErrNoKey. It records nothing.
func (f *Record) Open(s Shared, ahead time.Duration) (*Draft, error) {
	keys, _, err := f.ring.read()
	if err != nil {
		return nil, fmt.Errorf("reading the key of what was forgotten: %w", err)
	}
	key := keys[s.KeyID]
	if key == nil {
		return nil, ErrNoKey
	}
	aead, err := sharing(key)
	if err != nil {
		return nil, err
	}
	text, err := aead.Open(nil, nil, s.Box, []byte(s.ID))
	var in sharedForgetting
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err == nil && in.Begin.ID != s.ID {
		err = errors.New("it is of another name")
	}
	if err != nil {
		return nil, fmt.Errorf("reading what another machine forgot: %w", err)
	}
	t := newTraces(f.folder)
	g := &in.Begin
	g.key, g.Elsewhere = key, true
	g.move(-ahead)
	t.at = []*Forgetting{g}
	if !g.Until.IsZero() {
		t.spans = t.at
	}
	for _, l := range in.Lines {
		t.add(l, g)
	}
	return &Draft{t}, nil
}

// move shifts a forgetting's times to another clock.
func (g *Forgetting) move(by time.Duration) {
	for _, at := range []*time.Time{&g.At, &g.Since, &g.Until} {
		if !at.IsZero() {
			*at = at.Add(by)
		}
	}
}

// Knows reports whether a forgetting is recorded.
func (f *Record) Knows(id string) bool {
	return slices.ContainsFunc(f.Traces().at, func(g *Forgetting) bool { return g.ID == id })
}

// KeyIDs returns the IDs of the available keys.
func (f *Record) KeyIDs() []string {
	keys, _, _ := f.ring.read() // whoever needs a key gets the error
	ids := make([]string, 0, len(keys))
	for id := range keys {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// SealKey seals a key so that only the machine with this public key can read it.
func (f *Record) SealKey(id string, public []byte) ([]byte, error) {
	keys, _, err := f.ring.read()
	if err != nil || keys[id] == nil {
		return nil, errors.Join(err, ErrNoKey)
	}
	to, err := kem().NewPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("reading a machine's public key: %w", err)
	}
	return hpke.Seal(to, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(sealInfo), keys[id])
}

// TakeKey saves a key that SealKey sealed for this machine.
func (f *Record) TakeKey(id string, box []byte, own *Pair) error {
	key, err := hpke.Open(own.private, hpke.HKDFSHA256(), hpke.AES256GCM(), []byte(sealInfo), box)
	if err == nil && (len(key) != keyBytes || keyID(key) != id) {
		err = errors.New("it is another key")
	}
	if err != nil {
		return fmt.Errorf("reading the key of what was forgotten: %w", err)
	}
	return f.ring.save(key)
}

const sealInfo = "mac-stats key of what was forgotten"

func kem() hpke.KEM { return hpke.DHKEM(ecdh.X25519()) }

// Pair is a machine's private key with its public key.
type Pair struct{ private hpke.PrivateKey }

// NewPair derives a pair from a secret, always the same one.
func NewPair(secret []byte) (*Pair, error) {
	sum := sha256.Sum256(append([]byte("mac-stats machine\x00"), secret...))
	private, err := kem().DeriveKeyPair(sum[:])
	if err != nil {
		return nil, fmt.Errorf("making this machine's keys: %w", err)
	}
	return &Pair{private}, nil
}

// Public returns the key to which other machines seal their keys.
func (p *Pair) Public() []byte { return p.private.PublicKey().Bytes() }

// sharing returns the cipher that seals shared forgettings.
func sharing(key []byte) (cipher.AEAD, error) {
	sum := sha256.Sum256(append([]byte("mac-stats shared forgetting\x00"), key...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, fmt.Errorf("sealing what was forgotten: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
