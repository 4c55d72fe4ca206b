package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"mac-stats/sessionmem/recall/rank"
)

// A vector belongs to a text, whichever passages have it, and stays when they are indexed again. In
// its row it takes one byte per dimension, with a scale of its own. In memory are only its signs, one bit
// per dimension, which rule out most distant ones; the promising vectors are read.

const (
	// maxDims limits the dimensions of a vector from a server.
	maxDims = 16 << 10
	// nearest is how many of the nearest passages by meaning become candidates.
	nearest = 200
	// maxExact is how many vectors are compared exactly: those whose signs agree best.
	maxExact = 1 << 10
	// vectorsIdle is how long unused vectors stay in memory.
	vectorsIdle = 2 * time.Minute
	// rowsAtOnce is how many rows a statement reads by their IDs.
	rowsAtOnce = 256
)

// Model names an embedding model. Vectors of different models are never compared.
type Model struct {
	Name   string
	Digest string // of everything that determines its passage vectors
	Dims   int    // 0: not known yet
}

// ErrForeign means that vectors have other dimensions than their model.
var ErrForeign = errors.New("the embedding server gave vectors of other dimensions than its model has")

// Direction is a vector prepared for comparison with others.
type Direction struct {
	scale float32
	data  []byte  // an int8 per dimension
	wide  []int32 // data, widened
	signs []uint64
}

// NewDirection prepares a vector; false if it has no direction.
func NewDirection(v []float32) (*Direction, bool) {
	scale, data, ok := quantize(v)
	if !ok {
		return nil, false
	}
	d := &Direction{scale: scale, data: data, wide: make([]int32, len(v)), signs: make([]uint64, (len(v)+63)/64)}
	for i, c := range data {
		d.wide[i] = int32(int8(c)) //nolint:gosec // keeps the sign
	}
	takeSigns(d.signs, data)
	return d, true
}

// quantize normalises a vector to one byte per dimension and a scale; false if it has no direction.
func quantize(v []float32) (scale float32, out []byte, ok bool) {
	var sum float64
	most := float32(0)
	for _, x := range v {
		sum += float64(x) * float64(x)
		most = max(most, float32(math.Abs(float64(x))))
	}
	if len(v) == 0 || len(v) > maxDims || most == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, nil, false
	}
	out = make([]byte, len(v))
	for i, x := range v {
		out[i] = byte(int8(math.Round(float64(x) / float64(most) * math.MaxInt8))) //nolint:gosec // within -127 … 127
	}
	return most / math.MaxInt8 / float32(math.Sqrt(sum)), out, true
}

// takeSigns sets the bits of negative dimensions.
func takeSigns(out []uint64, v []byte) {
	i := 0
	for ; i+8 <= len(v); i += 8 {
		eight := binary.LittleEndian.Uint64(v[i:]) >> 7 & 0x0101010101010101
		out[i>>6] |= eight * 0x0102040810204080 >> 56 << (i & 63)
	}
	for ; i < len(v); i++ {
		out[i>>6] |= uint64(v[i]>>7) << (i & 63)
	}
}

// cosine returns the cosine of the angle to a stored vector.
func (d *Direction) cosine(scale float32, v []byte) float32 {
	a, b := v, d.wide
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 { // eight at a time
		s0 += int32(int8(a[0]))*b[0] + int32(int8(a[4]))*b[4] //nolint:gosec // the sign is meant
		s1 += int32(int8(a[1]))*b[1] + int32(int8(a[5]))*b[5] //nolint:gosec // the sign is meant
		s2 += int32(int8(a[2]))*b[2] + int32(int8(a[6]))*b[6] //nolint:gosec // the sign is meant
		s3 += int32(int8(a[3]))*b[3] + int32(int8(a[7]))*b[7] //nolint:gosec // the sign is meant
		a, b = a[8:], b[8:]
	}
	for i, c := range a {
		s0 += int32(int8(c)) * b[i] //nolint:gosec // the sign is meant
	}
	return float32(s0+s1+s2+s3) * d.scale * scale
}

// encodeVector returns the column data of a vector.
func encodeVector(hash uint64, scale float32, v []byte) []byte {
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, len(v)+8), math.Float32bits(scale))
	return seal(append(out, v...), hashKey(hash))
}

// decodeVector is the reverse of encodeVector.
func decodeVector(hash uint64, dims int, data []byte) (scale float32, v []byte, err error) {
	data, err = unseal(data, hashKey(hash))
	if err != nil || len(data) != 4+dims {
		return 0, nil, ErrDamaged
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(data)), data[4:], nil
}

func hashKey(hash uint64) string { return string(binary.BigEndian.AppendUint64(nil, hash)) }

// vectorSet holds the vectors of one model in memory.
type vectorSet struct {
	model, dropped int64 // the model's ID; value of metaDropped when they were read
	dims           int
	last           int64 // highest ID of a row that was read
	slots          map[uint64]int32
	rows           []int64 // their IDs, by slot
	signs          []uint64
	sum            []float32 // of all vectors: the average similarity of a passage comes from it

	at     []int32 // slot by position; -1: none
	change int64   // of the heads that at belongs to
}

// findModel returns the ID and the dimensions of a model that the index has vectors of, or
// sql.ErrNoRows. Without dimensions, a model matches by name and digest.
func findModel(ctx context.Context, tx *sql.Tx, m Model) (id int64, dims int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id, dims FROM model WHERE name=? AND digest=? AND (dims=? OR ?=0) ORDER BY id DESC LIMIT 1",
		m.Name, m.Digest, m.Dims, m.Dims).Scan(&id, &dims)
	return id, dims, err
}

// vectors brings the vectors of a model to this moment; nil if there are none.
func (s *Snapshot) vectors(ctx context.Context, m Model) (*vectorSet, error) {
	id, dims, err := findModel(ctx, s.tx, m)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil //nolint:nilnil // none is no error
	}
	var dropped int64
	if err == nil {
		err = s.tx.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaDropped).Scan(&dropped)
	}
	if err != nil {
		return nil, err
	}
	x := s.x
	if x.idle == nil {
		x.idle = time.AfterFunc(vectorsIdle, func() {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.vectors = nil
		})
	} else {
		x.idle.Reset(vectorsIdle)
	}
	v := x.vectors
	x.vectors = nil // half read until it is whole
	if v == nil || v.model != id || v.dropped != dropped {
		v = &vectorSet{model: id, dims: dims, dropped: dropped, slots: map[uint64]int32{}, sum: make([]float32, dims), change: -1}
	}
	rows, err := s.tx.QueryContext(ctx, "SELECT id, hash, data FROM vector WHERE id > ? AND model=?", v.last, id)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	more := false
	for rows.Next() {
		var row, hash int64
		var data sql.RawBytes
		if err := rows.Scan(&row, &hash, &data); err != nil {
			return nil, err
		}
		if err := v.add(row, uint64(hash), data); err != nil { //nolint:gosec // bits are what is wanted
			return nil, err
		}
		more = true
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if more || v.change != s.h.change {
		v.place(s.h)
	}
	x.vectors = v
	return v, nil
}

// add adds a row.
func (v *vectorSet) add(row int64, hash uint64, data []byte) error {
	scale, vector, err := decodeVector(hash, v.dims, data)
	if err != nil {
		return err
	}
	v.slots[hash] = int32(len(v.rows)) //nolint:gosec // room for thousands of millions
	v.last = max(v.last, row)
	v.rows = append(v.rows, row)
	words := v.signWords()
	v.signs = append(v.signs, make([]uint64, words)...)
	takeSigns(v.signs[len(v.signs)-words:], vector)
	for i, c := range vector {
		v.sum[i] += float32(int8(c)) * scale //nolint:gosec // keeps the sign
	}
	return nil
}

// place finds the vectors of all passages.
func (v *vectorSet) place(h *heads) {
	v.at = slices.Grow(v.at[:0], int(h.end))
	for _, k := range h.sources {
		for s := range k.strands {
			for i := range k.strands[s].heads {
				slot, ok := v.slots[k.strands[s].heads[i].hash] // that of a passage that is gone, 0, has none
				if !ok {
					slot = -1
				}
				v.at = append(v.at, slot)
			}
		}
	}
	v.change = h.change
}

func (v *vectorSet) signWords() int { return (v.dims + 63) / 64 }

// cosines compares the question with vectors by their slots; 0 for the slot -1.
func (s *Snapshot) cosines(ctx context.Context, v *vectorSet, d *Direction, slots []int32) ([]float32, error) {
	out := make([]float32, len(slots))
	err := s.readVectors(ctx, v, slots, func(i int, scale float32, vector []byte) { out[i] = d.cosine(scale, vector) })
	return out, err
}

// readVectors reads vectors by their slots; i is the index in slots.
func (s *Snapshot) readVectors(ctx context.Context, v *vectorSet, slots []int32, do func(i int, scale float32, vector []byte)) error {
	wanted := map[int64][]int{}
	for i, n := range slots {
		if n >= 0 {
			wanted[v.rows[n]] = append(wanted[v.rows[n]], i)
		}
	}
	ids := make([]int64, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	read := func(some []int64) error {
		list := make([]string, len(some))
		for i, id := range some {
			list[i] = strconv.FormatInt(id, 10)
		}
		rows, err := s.tx.QueryContext(ctx, "SELECT id, hash, data FROM vector WHERE id IN ("+strings.Join(list, ",")+")")
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		for rows.Next() {
			var id, hash int64
			var data sql.RawBytes
			if err := rows.Scan(&id, &hash, &data); err != nil {
				return err
			}
			scale, vector, err := decodeVector(uint64(hash), v.dims, data) //nolint:gosec // bits are what is wanted
			if err != nil {
				return err
			}
			for _, i := range wanted[id] {
				do(i, scale, vector)
			}
		}
		return rows.Err()
	}
	for some := range slices.Chunk(ids, rowsAtOnce) {
		if err := read(some); err != nil {
			return err
		}
	}
	return nil
}

// near is a passage and the similarity of its meaning to the question's.
type near struct {
	at     uint32
	cosine float32
}

// nearest returns the passages whose meaning is nearest, best first.
func (s *Snapshot) nearest(ctx context.Context, v *vectorSet, d *Direction, allowed []bool) (found []near, err error) {
	var all []uint32 // positions of the passages that have a vector
	for _, k := range s.h.sources {
		if allowed != nil && !allowed[k.place] {
			continue
		}
		for i := range k.strands {
			lo, hi := k.strands[i].base, k.strands[i].base+uint32(len(k.strands[i].heads)) //nolint:gosec // small
			for at := lo; at < hi; at++ {
				if v.at[at] >= 0 {
					all = append(all, at)
				}
			}
		}
	}
	if len(all) > maxExact {
		all = v.closestBySigns(d, all)
	}
	slots := make([]int32, len(all))
	for i, at := range all {
		slots[i] = v.at[at]
	}
	cosines, err := s.cosines(ctx, v, d, slots)
	if err != nil {
		return nil, err
	}
	found = make([]near, len(all))
	for i, c := range cosines {
		found[i] = near{all[i], c}
	}
	slices.SortFunc(found, func(a, b near) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.at, b.at)) })
	return found[:min(nearest, len(found))], nil
}

// closestBySigns keeps about maxExact of the passages: those whose signs agree best.
func (v *vectorSet) closestBySigns(d *Direction, all []uint32) []uint32 {
	apart := make([]uint16, len(all))
	words := v.signWords()
	counts := make([]int, v.dims+1)
	for i, at := range all {
		slot, n := int(v.at[at]), 0
		for j, w := range v.signs[slot*words : (slot+1)*words] {
			n += bits.OnesCount64(w ^ d.signs[j])
		}
		apart[i] = uint16(n) //nolint:gosec // at most maxDims
		counts[n]++
	}
	far, seen := 0, 0
	for seen < maxExact {
		seen += counts[far]
		far++
	}
	out := all[:0]
	for i, at := range all {
		if int(apart[i]) < far {
			out = append(out, at)
		}
	}
	return out
}

// Coverage describes how many passages have vectors of a model.
type Coverage int

// The degrees of coverage.
const (
	CoverNone Coverage = iota
	CoverSome
	CoverAll
)

// addMeaning adds the passages nearest in meaning to the candidates of a question, and the
// similarity of each candidate and the messages beside it. It changes nothing if there are no
// vectors to compare with.
func (r *ranking) addMeaning(ctx context.Context, q *Question, found *Found) error {
	v, err := r.vectors(ctx, q.Model)
	if err != nil || v == nil {
		return err
	}
	if q.Vector == nil || len(q.Vector.data) != v.dims {
		return ErrForeign
	}
	if found.Vectors = CoverAll; len(v.rows) < r.h.texts() {
		found.Vectors = CoverSome
	}
	by, err := r.nearest(ctx, v, q.Vector, q.Allowed)
	if err != nil || len(by) == 0 {
		return err
	}
	all := found.Candidates
	if q.MeaningOnly {
		all = nil
	}
	byWords := make(map[uint32]bool, len(all))
	for i := range all {
		byWords[all[i].At] = true
	}
	for _, n := range by {
		if !byWords[n.at] {
			k, strand, i := r.h.find(n.at)
			all = append(all, r.candidate(k, strand, i))
		}
	}
	const each = 3
	slots := make([]int32, 0, each*len(all))
	for i := range all {
		before, after, hasBefore, hasAfter := r.Beside(all[i].At)
		of := [each]int32{v.at[all[i].At], -1, -1}
		if hasBefore {
			of[1] = v.at[before]
		}
		if hasAfter {
			of[2] = v.at[after]
		}
		slots = append(slots, of[:]...)
	}
	cosines, err := r.cosines(ctx, v, q.Vector, slots)
	if err != nil {
		return err
	}
	for i := range all {
		of := cosines[each*i : each*i+each]
		all[i].HasVector, all[i].Cosine = slots[each*i] >= 0, float64(of[0])
		all[i].Beside = [2]float64{float64(of[1]), float64(of[2])}
	}
	average := 0.0
	for i, x := range v.sum {
		average += float64(x) * float64(q.Vector.wide[i]) * float64(q.Vector.scale) / float64(len(v.rows))
	}
	found.Candidates, found.Meaning = all, &rank.Meaning{Average: average, Best: float64(by[0].cosine)}
	return nil
}

// Models returns how many models have vectors.
func (s *Snapshot) Models(ctx context.Context) (n int, err error) {
	err = s.tx.QueryRowContext(ctx, "SELECT count(*) FROM model").Scan(&n)
	return n, err
}

// Vectors returns how many passages have a vector of a model, where of those with the same text one counts
// as missing at most; known is false if none was ever made.
func (s *Snapshot) Vectors(ctx context.Context, m Model) (n int, known bool, err error) {
	id, _, err := findModel(ctx, s.tx, m)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	var texts int
	if err == nil {
		err = s.tx.QueryRowContext(ctx, "SELECT count(*) FROM vector WHERE model=?", id).Scan(&texts)
	}
	return max(0, s.h.docs-max(0, s.h.texts()-texts)), true, err
}

// texts returns how many different texts the passages have.
func (h *heads) texts() int {
	if h.different == 0 {
		all := make([]uint64, 0, h.docs)
		h.each(func(_ *Indexed, _ Strand, _ int, h *head) { all = append(all, h.hash) })
		slices.Sort(all)
		h.different = len(slices.Compact(all))
	}
	return h.different
}

// VectorsOf returns the vectors of texts by their hashes, normalised and as precise as they are
// stored; nil for a text without one. dims is 0 if the model has no vectors.
func (s *Snapshot) VectorsOf(ctx context.Context, m Model, hashes []uint64) (out [][]float32, dims int, err error) {
	v, err := s.vectors(ctx, m)
	if err != nil || v == nil {
		return nil, 0, err
	}
	out = make([][]float32, len(hashes))
	slots := make([]int32, len(hashes))
	for i, hash := range hashes {
		slot, ok := v.slots[hash]
		if slots[i] = slot; !ok {
			slots[i] = -1
		}
	}
	err = s.readVectors(ctx, v, slots, func(i int, scale float32, vector []byte) {
		out[i] = make([]float32, len(vector))
		for d, c := range vector {
			out[i][d] = float32(int8(c)) * scale //nolint:gosec // keeps the sign
		}
	})
	return out, v.dims, err
}

// TextKey identifies a text of a source.
type TextKey struct {
	Source string // its key
	Hash   uint64
}

// Wanted is a passage whose text has no vector yet.
type Wanted struct {
	TextKey
	Passage Passage
	Of      *Indexed
}

// Unembedded returns at most limit passages whose texts have no vector of a model, the most
// valuable first: what the user said and what was learned, then the beginnings of answers, then the
// rest; within each the newest first. made is how many passages have one. It leaves out the texts in skip, which can't have one.
func (s *Snapshot) Unembedded(ctx context.Context, m Model, limit int, skip map[TextKey]string) (some []Wanted, made int, err error) {
	made, _, err = s.Vectors(ctx, m)
	if err != nil {
		return nil, 0, err
	}
	missing := s.h.docs - made
	s.h.each(func(k *Indexed, _ Strand, _ int, h *head) {
		if skip[TextKey{k.Key, h.hash}] != "" {
			missing--
		}
	})
	if missing <= 0 { // the vectors needn't be in memory for that
		return nil, made, nil
	}
	v, err := s.vectors(ctx, m)
	if err != nil {
		return nil, 0, err
	}
	type item struct {
		at    uint32
		value float64
	}
	best := make([]item, 0, 2*limit)
	cut := func() {
		slices.SortFunc(best, func(a, b item) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.at, b.at)) })
		seen := map[uint64]bool{}
		best = slices.DeleteFunc(best, func(i item) bool {
			k, strand, n := s.h.find(i.at)
			hash := k.strands[strand].heads[n].hash
			was := seen[hash]
			seen[hash] = true
			return was
		})
		best = best[:min(limit, len(best))]
	}
	s.h.each(func(k *Indexed, strand Strand, i int, h *head) {
		at := k.strands[strand].base + uint32(i) //nolint:gosec // small
		if v != nil && v.at[at] >= 0 || skip[TextKey{k.Key, h.hash}] != "" {
			return
		}
		worth := 2.0
		switch kind := Kind(h.flags >> flagKind & 7); {
		case h.continues():
			worth = 0
		case kind == Assistant || kind == Summary:
			worth = 1
		case kind != User && kind != Memory:
			worth = 0
		}
		if best = append(best, item{at, worth*(1<<40) + float64(h.time)}); len(best) == cap(best) {
			cut()
		}
	})
	cut()
	some = make([]Wanted, len(best))
	for i, b := range best {
		d, k, err := s.Passage(ctx, b.at)
		if err != nil {
			return nil, 0, err
		}
		some[i] = Wanted{TextKey{k.Key, d.Hash}, d, k}
	}
	return some, made, nil
}

// Vector is the vector of a text.
type Vector struct {
	TextKey
	Values []float32
}

// PutVectors writes vectors of a model for those texts that their sources still hold. If a vector has
// other dimensions than the model, PutVectors fails and writes none.
func (x *Index) PutVectors(ctx context.Context, m Model, all []Vector) error {
	for _, v := range all {
		if len(v.Values) != m.Dims {
			return fmt.Errorf("%w: %d, not %d", ErrForeign, len(v.Values), m.Dims)
		}
	}
	return x.inTx(ctx, func(tx *sql.Tx) error {
		id, _, err := findModel(ctx, tx, m)
		if errors.Is(err, sql.ErrNoRows) {
			err = tx.QueryRowContext(ctx, "INSERT INTO model(name, digest, dims) VALUES(?,?,?) RETURNING id", m.Name, m.Digest, m.Dims).Scan(&id)
		}
		if err != nil {
			return err
		}
		w := &writer{x: x, tx: tx}
		held := map[string]map[uint64]bool{}
		for _, v := range all {
			if held[v.Source] == nil {
				held[v.Source] = map[uint64]bool{}
				_, now, err := w.stored(ctx, v.Source)
				if err != nil {
					return err
				}
				now.each(func(_ Strand, _ int, p *Passage) { held[v.Source][p.Hash] = true })
			}
			if !held[v.Source][v.Hash] {
				continue
			}
			scale, data, ok := quantize(v.Values)
			if !ok { // a text without a direction gets a vector that is near nothing
				scale, data = 0, make([]byte, m.Dims)
			}
			_, err := tx.ExecContext(ctx, "INSERT INTO vector(model, hash, data) VALUES(?,?,?) ON CONFLICT DO NOTHING", id, int64(v.Hash), encodeVector(v.Hash, scale, data)) //nolint:gosec // bits are what is wanted
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// KeepVectorsOf deletes the vectors of all models but one, if that one has vectors.
func (x *Index) KeepVectorsOf(ctx context.Context, m Model) error {
	return x.inTx(ctx, func(tx *sql.Tx) error {
		id, _, err := findModel(ctx, tx, m)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM vector WHERE model <> ?", id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM model WHERE id <> ?", id); err != nil {
			return err
		}
		return countDropped(ctx, tx)
	})
}

func countDropped(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE meta SET value=value+1 WHERE key=?", metaDropped)
	return err
}

// dropVectors deletes the vectors of texts that the transaction dropped, unless another passage has
// the same text.
func (w *writer) dropVectors(ctx context.Context) error {
	for _, p := range w.puts {
		p.now.each(func(_ Strand, _ int, d *Passage) { delete(w.hashes, d.Hash) })
	}
	var models int
	if err := w.tx.QueryRowContext(ctx, "SELECT count(*) FROM model").Scan(&models); err != nil || models == 0 || len(w.hashes) == 0 {
		return err
	}
	if err := w.eachHash(ctx, func(hash uint64) { delete(w.hashes, hash) }); err != nil {
		return err
	}
	for hash := range w.hashes {
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM vector WHERE hash=? AND model IN (SELECT id FROM model)", int64(hash)); err != nil { //nolint:gosec // bits are what is wanted
			return err
		}
	}
	return countDropped(ctx, w.tx)
}

// eachHash calls do with the hashes of all texts.
func (w *writer) eachHash(ctx context.Context, do func(hash uint64)) error {
	rows, err := w.tx.QueryContext(ctx, "SELECT key, heads FROM source")
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // rows.Err reports errors
	for rows.Next() {
		var key string
		var data sql.RawBytes
		if err := rows.Scan(&key, &data); err != nil {
			return err
		}
		heads, err := unseal(data, key)
		if err != nil {
			return err
		}
		all, err := decodeHeads(heads)
		if err != nil {
			return err
		}
		for _, h := range slices.Concat(all[:]...) {
			if !h.gone() {
				do(h.hash)
			}
		}
	}
	return rows.Err()
}

// TakeVectors copies the vectors of another index file for the texts that this one holds, but for damaged
// ones.
func (x *Index) TakeVectors(ctx context.Context, path string) error {
	if _, err := x.write.ExecContext(ctx, "ATTACH DATABASE ? AS old", path); err != nil {
		return explain(err)
	}
	err := x.inTx(ctx, func(tx *sql.Tx) error {
		var format, models int
		err := tx.QueryRowContext(ctx, "SELECT value FROM old.meta WHERE key=?", metaFormat).Scan(&format)
		if err == nil && format == formatVersion {
			err = tx.QueryRowContext(ctx, "SELECT count(*) FROM old.model").Scan(&models)
		}
		if err != nil || models == 0 {
			return err
		}
		w := &writer{x: x, tx: tx}
		held := map[uint64]bool{}
		if err := w.eachHash(ctx, func(hash uint64) { held[hash] = true }); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO main.model(name, digest, dims) SELECT name, digest, dims FROM old.model"); err != nil {
			return err
		}
		put, err := tx.PrepareContext(ctx, "INSERT OR IGNORE INTO vector(model, hash, data) VALUES(?,?,?)")
		if err != nil {
			return err
		}
		defer put.Close() //nolint:errcheck // its transaction tells
		rows, err := tx.QueryContext(ctx, `SELECT now.id, m.dims, v.hash, v.data FROM old.vector v JOIN old.model m ON m.id=v.model
			JOIN main.model now ON now.name=m.name AND now.digest=m.digest AND now.dims=m.dims ORDER BY v.id`)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		for rows.Next() {
			var id, hash int64
			var dims int
			var data sql.RawBytes
			if err := rows.Scan(&id, &dims, &hash, &data); err != nil {
				return err
			}
			if _, _, err := decodeVector(uint64(hash), dims, data); err != nil || !held[uint64(hash)] { //nolint:gosec // bits are what is wanted
				continue // a damaged one is made anew
			}
			if _, err := put.ExecContext(ctx, id, hash, []byte(data)); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	_, detached := x.write.ExecContext(context.WithoutCancel(ctx), "DETACH DATABASE old")
	return cmp.Or(err, explain(detached))
}
