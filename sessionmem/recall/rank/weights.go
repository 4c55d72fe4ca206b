package rank

import "math"

// Reach is how many messages on each side count as neighbours.
const Reach = 2

// Weights are the weights of ranking. They were measured on chats with known answers, checked
// on others, and rounded.
type Weights struct {
	Beside       Beside
	Own          float32 // extra weight of a passage's own words
	K, B         float32 // BM25 of passages
	Session      Session
	Rarity       float64 // exponent of a term's rarity
	Short        float64 // what a very short passage loses
	ShortWords   float64 // the number of words at which that has mostly faded
	Spread       float64 // exponent by which a message of n passages divides its score among them: n^-Spread
	AboutAnswers float64 // how much less it is divided if the question asks what the assistant said
	Question     float64 // what a passage loses if it ends with a question
	Asked        float64 // what a passage gains that has what the question asks for: a time, a number
	Span         float64 // what a passage gains if it was said at a time that the question names
	Pair         float64 // what a passage gains for consecutive words of the question
	Meaning      Meanings
	Candidates   int // how many passages are examined more closely
}

// Beside holds the weights of words in neighbouring messages.
type Beside struct {
	After, Before [Reach]float32 // for the beginning of a message: its weight for following and preceding ones, by distance
	Beginning     float32        // how many words that beginning has: the rest of a long answer has its own subject
	Reply         float32        // factor for a question's words in the next message
}

// Session holds the weights of words in a passage's session.
type Session struct {
	K, B  float64 // BM25 of sessions
	Share float64 // weight relative to the passage's own words
}

// Meanings holds the weights of cosines.
type Meanings struct {
	Share   float64 // relative to the words, whose best is 1
	Beside  float64 // for each neighbouring message
	Session float64 // for the nearest passage of the session
	Spread  float64 // exponent of the passage's share of its message
}

// Default returns the measured weights.
func Default() Weights {
	return Weights{
		Beside: Beside{After: [Reach]float32{.3, .3}, Before: [Reach]float32{.4, .2}, Beginning: 40, Reply: 2.5}, Own: .2,
		K: 1.2, B: .6, Session: Session{K: 1.6, B: .7, Share: .45}, Rarity: .7, Short: .2, ShortWords: 7, Spread: .6, AboutAnswers: .3,
		Question: .2, Asked: .5, Span: 1.2, Pair: .4, Meaning: Meanings{Share: .9, Beside: .15, Session: .5, Spread: .3}, Candidates: 300,
	}
}

// Idf returns the weight of a term that occurs in n of all passages.
func (w *Weights) Idf(n, of int) float64 {
	return math.Pow(math.Log(1+(float64(of-n)+.5)/(float64(n)+.5)), w.Rarity)
}

// Shares holds the share of its score that a part of a message keeps, by number of parts.
type Shares struct {
	power float64
	known [256]float32 // 0: not computed yet
}

// Of returns the share for a message of n parts.
func (s *Shares) Of(n uint8) float32 {
	if share := s.known[n]; share != 0 { // small enough to be inlined: each passage asks
		return share
	}
	return s.compute(n)
}

func (s *Shares) compute(n uint8) float32 {
	s.known[n] = float32(math.Pow(float64(max(n, 1)), s.power))
	return s.known[n]
}

// Shares returns the shares for messages of the user and of the assistant. The latter are
// larger if the question asks what the assistant said.
func (w *Weights) Shares(aboutAnswers bool) (user, assistant *Shares) {
	user, assistant = &Shares{power: -w.Spread}, &Shares{power: -w.Spread}
	if aboutAnswers {
		assistant.power += w.AboutAnswers
	}
	return user, assistant
}

// Base returns the score by words before adjustments. words and session say how much of the
// question the passage and its session contain, relative to the best.
func (w *Weights) Base(words, session, share float64) float64 {
	return (words + w.Session.Share*session) * share
}
