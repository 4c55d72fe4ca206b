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

// Several machines of a person tell each other what was forgotten. What one gives to the
// others is sealed by the key of its hashes, so that a server between them learns how many
// forgettings there are, how long they are and when they came, and nothing else: no hash, no
// time span. The key itself is sealed to each machine's public key (HPKE, RFC 9180). Who can
// write to the server could put a public key of their own there, and so has to be trusted as
// much as with the texts that searches find there; who reads a backup, a replica or the
// server's log learns nothing. A key that the person types on each machine would protect from
// the former too, at the price that a forgotten one can't be had again: a password of the
// server may change, and is not always there (a certificate, a socket).

// Shared is a forgetting as machines give it to each other.
type Shared struct {
	ID    string
	KeyID string // of the key that seals it
	Box   []byte
}

// sharedForgetting is what a Box holds.
type sharedForgetting struct {
	Begin Forgetting  `json:"begin"`
	Lines []traceLine `json:"lines"`
}

// ErrNoKey: what another machine forgot is sealed by a key that this one hasn't got yet.
var ErrNoKey = errors.New("a machine that knows the key of what was forgotten has to be online once")

// BoardState is what is noted on a Board.
type BoardState struct {
	Ahead    time.Duration     // how far its clock is ahead of this machine's
	Noted    map[string]string // the ids of forgettings, with those of their keys
	Unswept  []string          // of them those for which Sweep was not done
	Keys     []SealedKey       // for this machine
	Machines []BoardMachine    // all that have a public key, this one too
}

// SealedKey is a key for one machine.
type SealedKey struct {
	ID      string
	Machine int32
	Box     []byte
}

// BoardMachine is a machine that looks there.
type BoardMachine struct {
	Number int32
	Name   string
	Mine   bool
	Public []byte
	Has    []string // ids of the keys that are there for it
}

// Share gives what is recorded and not known to others. Its times are moved by how far the
// clock that all machines go by is ahead of this machine's.
func (f *Record) Share(known func(id string) bool, ahead time.Duration) (out []Shared, err error) {
	all := f.Traces()
	for _, g := range all.at {
		if known(g.ID) {
			continue
		}
		s := sharedForgetting{Begin: *g, Lines: all.only(g).lines}
		s.Begin.move(ahead)
		s.Begin.Begun = time.Time{} // each machine's own
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

// Open gives a draft of what another machine forgot; ErrNoKey. Nothing is written down.
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

// move sets a forgetting's times to another clock.
func (g *Forgetting) move(by time.Duration) {
	for _, at := range []*time.Time{&g.At, &g.Since, &g.Until} {
		if !at.IsZero() {
			*at = at.Add(by)
		}
	}
}

// Knows says whether a forgetting is recorded.
func (f *Record) Knows(id string) bool {
	return slices.ContainsFunc(f.Traces().at, func(g *Forgetting) bool { return g.ID == id })
}

// KeyIDs gives the ids of the keys there are.
func (f *Record) KeyIDs() []string {
	keys, _, _ := f.ring.read() // whoever needs one is told
	ids := make([]string, 0, len(keys))
	for id := range keys {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// SealKey gives a key so that only the machine with this public key can read it.
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

// TakeKey keeps a key that SealKey gave for this machine.
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

// Pair is a machine's private key with its public one.
type Pair struct{ private hpke.PrivateKey }

// NewPair makes the pair of a secret, always the same.
func NewPair(secret []byte) (*Pair, error) {
	sum := sha256.Sum256(append([]byte("mac-stats machine\x00"), secret...))
	private, err := kem().DeriveKeyPair(sum[:])
	if err != nil {
		return nil, fmt.Errorf("making this machine's keys: %w", err)
	}
	return &Pair{private}, nil
}

// Public is what other machines seal keys to.
func (p *Pair) Public() []byte { return p.private.PublicKey().Bytes() }

// sharing is what seals forgettings on their way.
func sharing(key []byte) (cipher.AEAD, error) {
	sum := sha256.Sum256(append([]byte("mac-stats shared forgetting\x00"), key...))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		return nil, fmt.Errorf("sealing what was forgotten: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
