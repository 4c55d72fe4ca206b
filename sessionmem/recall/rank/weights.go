package rank

import "math"

// Reach is how far the messages beside one are looked at.
const Reach = 2

// Weights say how much each thing counts. They were measured on chats with known answers,
// checked with what was found on others, and rounded.
type Weights struct {
	Beside     Beside
	Own        float32 // how much more a passage's own words count
	K, B       float32 // BM25 of passages
	Session    Session
	Rarity     float64 // power of a term's rarity
	Short      float64 // what a passage of hardly a word loses
	ShortWords float64 // how many words that are
	Spread     float64 // a message of n passages has the chance of one, spread over them: n^-Spread
	Told       float64 // how much less it is spread where the question asks what was told
	Question   float64 // what a passage loses that only asks
	When       float64 // what a passage gains that says a time, where one is asked for
	Span       float64 // what a passage gains that was said at a time that is asked for
	Many       float64 // what a passage gains that has a number, where a quantity is asked for
	Pair       float64 // what a pair of the question's words gains
	Meaning    Meanings
	Candidates int // passages that are looked at more closely
}

// Beside says how much the words of the messages beside a passage count for it.
type Beside struct {
	After, Before [Reach]float32 // how much of the beginning of a message counts for the next ones, and for those before it, by distance
	Beginning     float32        // how many words that are: the rest of a long answer goes its own way
	Reply         float32        // how many times more a question's words count for the next message
}

// Session says how much the words of a passage's session count for it.
type Session struct {
	K, B  float64 // BM25 of sessions
	Share float64 // of the session beside the passage
}

// Meanings say how much cosines count.
type Meanings struct {
	Share   float64 // beside the words, whose best is 1
	Beside  float64 // of those of the messages beside, each
	Session float64 // of the nearest of the session
	Spread  float64 // power of a passage's share of its message for that
}

// Default gives the weights that were measured.
func Default() Weights {
	return Weights{
		Beside: Beside{After: [Reach]float32{.3, .3}, Before: [Reach]float32{.4, .2}, Beginning: 40, Reply: 2.5}, Own: .2,
		K: 1.2, B: .6, Session: Session{K: 1.6, B: .7, Share: .45}, Rarity: .7, Short: .2, ShortWords: 7, Spread: .6, Told: .3,
		Question: .2, When: .6, Span: 1.2, Many: .3, Pair: 1, Meaning: Meanings{Share: .9, Beside: .15, Session: .5, Spread: .3}, Candidates: 300,
	}
}

// Idf is how much a term tells that stands in n of all.
func (w *Weights) Idf(n, of int) float64 {
	return math.Pow(math.Log(1+(float64(of-n)+.5)/(float64(n)+.5)), w.Rarity)
}

// Shares are what a passage keeps of its score for being one of many of its message.
type Shares struct {
	power float64
	known [256]float32 // by their number; 0: not told yet
}

// Of is the share of one of n.
func (s *Shares) Of(n uint8) float32 {
	if s.known[n] == 0 {
		s.known[n] = float32(math.Pow(float64(max(n, 1)), s.power))
	}
	return s.known[n]
}

// Shares gives the shares of what the user said, and of what the assistant did: those are
// larger where the question asks what was told.
func (w *Weights) Shares(told bool) (user, assistant *Shares) {
	user, assistant = &Shares{power: -w.Spread}, &Shares{power: -w.Spread}
	if told {
		assistant.power += w.Told
	}
	return user, assistant
}

// Base is the score by words alone, before the details: how much of the question a passage
// has and its session, both beside the best, and the passage's share of its message.
func (w *Weights) Base(words, session, share float64) float64 {
	return (words + w.Session.Share*session) * share
}
