package connection

import (
	"errors"
	"fmt"
	"time"
)

// State is the state of a connection.
type State string

// The states of a connection.
const (
	StateOff        State = "off"
	StateConnecting State = "connecting"
	StateReady      State = "ready"
	StateWaiting    State = "waiting" // for the next try
	StateStopped    State = "stopped" // trying again is useless: see Next
)

// Status is a connection's status, including words for people.
type Status struct {
	State State     `json:"state"`
	Text  string    `json:"text"`
	Next  string    `json:"next,omitempty"` // what to do; "" if nothing
	Last  string    `json:"last,omitempty"` // while reconnecting: why the last try failed
	Code  int       `json:"code,omitempty"` // the gateway's close code, if that stopped it
	Bot   User      `json:"bot,omitzero"`
	Since time.Time `json:"since"`
}

// StopError ends a connection permanently: somebody must change something first.
type StopError struct {
	Code int // the gateway's close code; 401 if REST refused the token
	Text string
	Next string
}

func (e *StopError) Error() string { return e.Text + " " + e.Next }

// Discord's close codes after which trying again is useless. See
// https://discord.com/developers/docs/topics/opcodes-and-status-codes.
const (
	closeAuthFailed        = 4004
	closeInvalidSeq        = 4007
	closeSessionTimedOut   = 4009
	closeInvalidShard      = 4010
	closeShardingRequired  = 4011
	closeInvalidVersion    = 4012
	closeInvalidIntents    = 4013
	closeDisallowedIntents = 4014
)

// stopFor returns the explanation of a close code that ends the connection; nil for other
// codes.
func stopFor(code int) *StopError {
	switch code {
	case closeAuthFailed:
		return &StopError{
			code, "Discord refused the bot's token (4004).",
			"Copy the token again from the Bot page of the developer portal (Reset Token) and save it with `mac-stats discord token`.",
		}
	case closeInvalidShard, closeShardingRequired:
		return &StopError{
			code, "Discord requires several connections for this bot (4010, 4011): it is in too many servers.",
			"Remove it from servers until it is in fewer than 2,500. mac-stats is made for a bot of your own.",
		}
	case closeInvalidVersion:
		return &StopError{code, "Discord no longer speaks this version of its gateway (4012).", "Install a newer mac-stats."}
	case closeInvalidIntents:
		return &StopError{code, "Discord doesn't know the intents it was asked for (4013).", "Install a newer mac-stats; if this is the newest, please report it."}
	case closeDisallowedIntents:
		return &StopError{
			code, "Discord doesn't allow this bot to read messages that don't mention it (4014): the Message Content Intent is off.",
			"Switch on \"Message Content Intent\" on the Bot page of the developer portal (Privileged Gateway Intents) and connect again (`mac-stats discord on`); or set message_content = \"off\" under [discord] and no channel to all_messages or having_fun.",
		}
	}
	return nil
}

// Reasons for reconnecting, as sentences.
const (
	whyUnreached = "Discord can't be reached."
	whyClosed    = "Discord closed the connection."
	whySilent    = "Discord has gone silent."
	whyAsked     = "Discord asked to connect again."
	whyInvalid   = "Discord asked for a new session."
	whyNoneLeft  = "Discord allows no more new sessions for now."
	whyLimited   = "Waiting to connect: Discord limits how often a bot may begin a session."
	nextNothing  = "Nothing to do: it retries automatically."
)

// Sentences returns the texts and next steps that a Status may have when a connection was
// stopped or is made again. A window shows them in its reader's language.
func Sentences() []string {
	list := []string{whyUnreached, whyClosed, whySilent, whyAsked, whyInvalid, whyNoneLeft, whyLimited, nextNothing}
	for _, code := range []int{closeAuthFailed, closeInvalidShard, closeInvalidVersion, closeInvalidIntents, closeDisallowedIntents} {
		stop := stopFor(code)
		list = append(list, stop.Text, stop.Next)
	}
	return list
}

// keepsSession reports whether a session can be resumed after a close code.
func keepsSession(code int) bool {
	return code != closeInvalidSeq && code != closeSessionTimedOut
}

// Errors of REST calls that callers decide on.
var (
	ErrPermission = errors.New("the bot may not do that here")
	ErrGone       = errors.New("it is not there any more")
	ErrArchived   = errors.New("the thread is archived")
	ErrBusy       = errors.New("discord asks to wait for longer than there is time")
)

// Error is an answer of Discord that refuses a request.
type Error struct {
	Status  int // the HTTP status
	Code    int // Discord's own code; 0 if there is none
	Message string
	What    string // the call, in words
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: discord says %d (%d) %s", e.What, e.Status, e.Code, e.Message)
}

// Is maps Discord's codes to the errors that callers decide on.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrPermission:
		return e.Code == 50013 || e.Code == 50001
	case ErrGone:
		return e.Code == 10008 || e.Code == 10003 || e.Status == 404
	case ErrArchived:
		return e.Code == 50083
	}
	return false
}

// NotDone reports whether a failed request wasn't carried out. Otherwise nobody knows.
func NotDone(err error) bool {
	said := (*Error)(nil)
	return errors.Is(err, ErrBusy) || errors.As(err, &said) && said.Status >= 400 && said.Status < 500
}
