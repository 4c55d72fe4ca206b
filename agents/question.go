package agents

import "mac-stats/agents/tools"

// Answer is a person's answer to a Question.
type Answer = tools.Answer

// The answers.
const (
	AnswerOnce    = tools.AnswerOnce
	AnswerNo      = tools.AnswerNo
	AnswerChat    = tools.AnswerChat
	AnswerAlways  = tools.AnswerAlways
	AnswerNever   = tools.AnswerNever
	AnswerRefused = tools.AnswerRefused
	AnswerLate    = tools.AnswerLate
)

// Question is what a turn asks a person before a tool runs. Its event is emitted when
// the turn starts to wait, and again with the Answer.
type Question struct {
	ID    string `json:"id"`    // for Run.Answer; the call's ID
	Agent string `json:"agent"` // slug of the calling agent
	Tool  string `json:"tool"`  // FETCH_URL
	What  string `json:"what"`  // exactly what would run or be sent
	Where string `json:"where"` // host, server or folder
	tools.Effects
	Covers  string   `json:"covers,omitempty"` // what a lasting answer is limited to, besides agent and tool: a program, a host; "" is any argument
	Why     string   `json:"why"`              // one of the sentences below
	Answers []Answer `json:"answers"`          // the possible answers, the default first
	Answer  Answer   `json:"answer,omitempty"` // "" while the turn waits
}

// Reasons for a question, for people.
const (
	WhyAddress   = "You didn't type this address, and this chat holds text that others wrote, which may have made it up to send something of yours away."
	WhyOutside   = "This acts outside mac-stats, so it needs your yes."
	WhyStrangers = "This chat contains text that others wrote, which may have made the agent ask for this."
	WhyChanged   = "The tool's description has changed since you allowed it."
)
