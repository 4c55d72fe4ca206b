package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"hash/maphash"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mac-stats/sessionmem/recall/analysis"
)

// A word of a question is also looked for by similar words: those of the vocabulary that share letter
// trigrams with it. So a base form finds other forms in languages without a stemmer, a part finds its
// compound, and a word with a slip the right one.
//
// The vocabulary stands in rows: words that are new to a bucket are one row more. A search that needs
// it keeps it in memory, each word with a bit for each of its trigrams, so that few words have to be
// compared letter by letter.

// The constants of the rule were measured; there are plateaus around them.
const (
	similarLetters = 4  // a shorter word is only itself
	similarLeast   = .4 // of the trigrams of two words, the share that both have (Jaccard)
	similarWhole   = 5  // a word of so many letters is also similar to one that contains it; counts as the least
	similarMost    = 8  // similar words of one
	similarTerms   = 24 // most terms of a question that they are looked for
)

// gramSeed decides which bit a trigram has.
var gramSeed = maphash.MakeSeed()

// gramsOf returns the trigrams of a word, with a mark before its first letter, each once.
func gramsOf(word string) (grams []string) {
	marked := "^" + word
	var begins []int
	for i := range marked {
		begins = append(begins, i)
	}
	begins = append(begins, len(marked))
	for i := 0; i+3 < len(begins); i++ {
		if gram := marked[begins[i]:begins[i+3]]; !slices.Contains(grams, gram) {
			grams = append(grams, gram)
		}
	}
	return grams
}

func signature(grams []string) (bitset uint64) {
	for _, g := range grams {
		bitset |= 1 << (maphash.String(gramSeed, g) & 63)
	}
	return bitset
}

// isWord reports whether a term is a word of a script with spaces.
func isWord(term string) bool {
	switch analysis.Class(term[0]) {
	case analysis.ClassExact, analysis.ClassPair, analysis.ClassMoment:
		return false
	}
	return !strings.ContainsFunc(term, func(r rune) bool {
		return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
	})
}

// encodeWords encodes words, which are in order: of each how many bytes it shares with the preceding
// one, and the rest.
func encodeWords(bucket int, words []string) (out []byte) {
	before := ""
	for _, w := range words {
		same := 0
		for same < min(len(w), len(before)) && w[same] == before[same] {
			same++
		}
		out = appendString(binary.AppendUvarint(out, uint64(same)), w[same:])
		before = w
	}
	return seal(out, strconv.Itoa(bucket))
}

// decodeWords is the reverse of encodeWords: it calls do with each word. do must not keep it.
func decodeWords(bucket int, data []byte, do func(word []byte)) error {
	data, err := unseal(data, strconv.Itoa(bucket))
	if err != nil {
		return err
	}
	r := decoder{data: data}
	var word []byte
	for len(r.data) > 0 {
		same, rest := r.int(), r.int()
		if r.bad || same > len(word) || rest > len(r.data) {
			return ErrDamaged
		}
		word, r.data = append(word[:same], r.data[:rest]...), r.data[rest:]
		do(word)
	}
	return nil
}

// writeWords keeps the vocabulary in step with the posting rows of a bucket: fresh are the terms that have
// a row now, gone those that have none any more.
func (w *writer) writeWords(ctx context.Context, bucket int, fresh []string, gone map[string]bool) error {
	fresh = slices.DeleteFunc(fresh, func(term string) bool { return !isWord(term) })
	if len(gone) > 0 {
		rows, err := w.tx.QueryContext(ctx, "SELECT words FROM vocabulary WHERE bucket=?", bucket)
		if err != nil {
			return err
		}
		defer rows.Close() //nolint:errcheck // rows.Err reports errors
		for rows.Next() {
			var data sql.RawBytes
			if err := rows.Scan(&data); err != nil {
				return err
			}
			if err := decodeWords(bucket, data, func(word []byte) {
				if !gone[string(word)] {
					fresh = append(fresh, string(word))
				}
			}); err != nil {
				return err
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if _, err := w.tx.ExecContext(ctx, "DELETE FROM vocabulary WHERE bucket=?", bucket); err != nil {
			return err
		}
		if err := setMeta(ctx, w.tx, metaLost, w.change); err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	slices.Sort(fresh)
	_, err := w.tx.ExecContext(ctx, "INSERT INTO vocabulary(bucket, words) VALUES(?,?)", bucket, encodeWords(bucket, fresh))
	return err
}

// vocabulary is what a process keeps in memory of all words.
type vocabulary struct {
	last, lost int64 // highest ID of a row that was read; value of metaLost then
	words      []string
	bits       []uint64
	grams      []uint8 // how many each has
}

// vocabulary brings the vocabulary to this moment.
func (s *Snapshot) vocabulary(ctx context.Context) (*vocabulary, error) {
	var lost int64
	if err := s.tx.QueryRowContext(ctx, "SELECT value FROM meta WHERE key=?", metaLost).Scan(&lost); err != nil {
		return nil, err
	}
	v := s.x.vocabulary
	s.x.vocabulary = nil // half read until it is whole
	if v == nil || v.lost != lost {
		v = &vocabulary{lost: lost}
	}
	rows, err := s.tx.QueryContext(ctx, "SELECT id, bucket, words FROM vocabulary WHERE id > ?", v.last)
	if err != nil {
		return nil, err
	}
	defer rows.Close()        //nolint:errcheck // rows.Err reports errors
	more := map[string]bool{} // most words are in many buckets
	for rows.Next() {
		var bucket int
		var data sql.RawBytes
		if err := rows.Scan(&v.last, &bucket, &data); err != nil {
			return nil, err
		}
		if err := decodeWords(bucket, data, func(word []byte) {
			if _, known := slices.BinarySearch(v.words, string(word)); !known && !more[string(word)] {
				more[string(word)] = true
			}
		}); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(more) > 0 {
		old := *v
		n := len(old.words) + len(more)
		v.words, v.bits, v.grams = make([]string, 0, n), make([]uint64, 0, n), make([]uint8, 0, n)
		i := 0
		for _, word := range slices.Sorted(maps.Keys(more)) {
			to, _ := slices.BinarySearch(old.words[i:], word)
			v.words, v.bits, v.grams = append(v.words, old.words[i:i+to]...), append(v.bits, old.bits[i:i+to]...), append(v.grams, old.grams[i:i+to]...)
			i += to
			grams := gramsOf(word)
			v.words, v.bits, v.grams = append(v.words, word), append(v.bits, signature(grams)), append(v.grams, uint8(min(len(grams), 255))) //nolint:gosec // cut
		}
		v.words, v.bits, v.grams = append(v.words, old.words[i:]...), append(v.bits, old.bits[i:]...), append(v.grams, old.grams[i:]...)
	}
	s.x.vocabulary = v
	return v, nil
}

// similar returns the words that are similar to one of a term's variants, the most similar first, each with
// its similarity.
func (v *vocabulary) similar(t analysis.QueryTerm) (out []analysis.Variant) {
	// The stem, and the longest form: mostly some language's stemmer leaves the word whole.
	forms := []string{t.Variants[0].Term}
	for _, o := range t.Variants[1:] {
		if len(o.Term) > len(forms[len(forms)-1]) {
			forms = append(forms[:1], o.Term)
		}
	}
	for _, form := range forms {
		letters := utf8.RuneCountInString(form)
		if letters < similarLetters || t.Class != analysis.ClassWord || !isWord(form) || form[0] >= '0' && form[0] <= '9' {
			continue
		}
		grams := gramsOf(form)
		mine := signature(grams)
		slack := len(grams) - bits.OnesCount64(mine) // trigrams that share a bit
		for i, its := range v.bits {
			n := int(v.grams[i])
			most := bits.OnesCount64(mine&its) + slack // they have no more in common than that
			if float64(most) < similarLeast*float64(len(grams)+n-most) && most < len(grams)-1 {
				continue
			}
			both := 0
			marked := "^" + v.words[i]
			for _, g := range grams {
				if strings.Contains(marked, g) {
					both++
				}
			}
			share := float64(both) / float64(len(grams)+n-both)
			if share < similarLeast && letters >= similarWhole && both >= len(grams)-1 {
				share = similarLeast
			}
			if share < similarLeast || slices.ContainsFunc(t.Variants, func(o analysis.Variant) bool { return o.Term == v.words[i] }) {
				continue
			}
			if at := slices.IndexFunc(out, func(o analysis.Variant) bool { return o.Term == v.words[i] }); at >= 0 {
				out[at].Weight = max(out[at].Weight, share)
			} else {
				out = append(out, analysis.Variant{Term: v.words[i], Weight: share})
			}
		}
	}
	slices.SortFunc(out, func(a, b analysis.Variant) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Term, b.Term))
	})
	return out[:min(len(out), similarMost)]
}
