// Package rank orders what a search found: it is a pure function from a question and its
// candidates to hits, best first. It reads nothing, so it works for the index and for the server,
// which provide candidates with their features (how much of the question a passage and its
// neighbourhood contain, how much its session does, how near its meaning is). The weights are
// the same for both.
//
// The steps: the words of a passage and of its session give a score (Weights.Base), which is
// divided among the passages of a message; questions lose a little, and passages said at a
// time that the question names gain; similarity of meaning is added, with a share of the
// neighbouring messages' and of the session's; age costs little; several passages of one
// message become one hit; finally, when the texts are known, consecutive words of the
// question count, and hits that repeat a better one move down.
//
// The weights were measured on chats between people and with an assistant (make quality).
package rank
