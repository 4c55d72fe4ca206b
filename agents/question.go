package agents

import "mac-stats/agents/tools"

// Answer is what a person says to a Question.
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

// Question is what a turn has to ask before a tool runs. The event comes when the turn
// begins to wait, and again with the Answer.
type Question struct {
	ID    string `json:"id"`    // for Run.Answer; that of the call
	Agent string `json:"agent"` // whose call it is: its slug
	Tool  string `json:"tool"`  // FETCH_URL
	What  string `json:"what"`  // exactly what would run or be sent
	Where string `json:"where"` // to which host, by which server, in which folder
	tools.Effects
	Covers  string   `json:"covers,omitempty"` // what an answer that lasts is limited to, beside agent and tool: a program, a host; "" any argument
	Why     string   `json:"why"`              // one of the sentences below
	Answers []Answer `json:"answers"`          // those that can be given; the first is the one to offer first
	Answer  Answer   `json:"answer,omitempty"` // "" while it waits
}

// Why a question is asked, for people.
const (
	WhyAddress   = "You didn't type this address, and this chat holds text that others wrote, which may have made it up to send something of yours away."
	WhyOutside   = "This acts outside mac-stats, so it needs your yes."
	WhyStrangers = "This chat contains text that others wrote, which may have made the agent ask for this."
	WhyChanged   = "The tool's description has changed since you allowed it."
)
