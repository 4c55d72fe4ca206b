// Package rank puts what an engine found in order: a pure function from a question and
// its candidates to hits, best first. It reads nothing, so that every engine can stand
// below it: one gives candidates with their features (how much of the question stands in
// a passage and around it, in its session, how near its meaning is), the same weights
// for all.
//
// In order: the words of a passage and of its session make a score (Weights.Base), which is
// spread over the passages of a message; questions lose a little, what was said at a time
// that is asked for gains; what is near in meaning is added, with a share of what is near
// beside it and in its session; age costs little; several passages of a message are one
// hit; at last, where texts are known, words in a row count, and hits that say the same
// step back.
//
// The weights were measured on chats between people and with an assistant (make quality).
package rank
