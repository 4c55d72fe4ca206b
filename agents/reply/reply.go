// Package reply reads what a model wrote: thoughts, text, calls of tools and the marks of
// its chat template. It does no I/O and loses no byte: the parts of a reply, in order, are
// the reply.
//
// There are two layers. Parse reads a whole reply and decides; its parts are final. A
// Shower passes text on while the reply arrives. It holds a mark until that is whole and
// stops at the first thing that may be a call, until the reply has ended. Only Parse
// finds calls.
//
// A call is what the model does now: it stands on its own, behind nothing that shows it and
// in nothing that closes behind it. Names don't decide what shows it, because the world has
// more templates and markups than a list: a special token that the reply doesn't begin with, a
// line that is no sentence, the sign of a list, what somebody says in a dialogue, text behind it
// that begins with a sign. One call that is only shown makes all others of the reply doubtful.
//
// What is neither certain nor safe isn't taken: it is text, or a call with the reason why
// it doesn't run, which the caller tells the model once.
package reply

// Kind is what a part of a reply is.
type Kind int

// Kinds of parts.
const (
	KindText    Kind = iota // the answer
	KindThought             // what the model said to itself
	KindCall                // calls of tools, as they were written
	KindMark                // belongs to the chat template: headers, end marks
)

// Part is a range of a reply's bytes. The parts of a reply are contiguous and cover it.
type Part struct {
	Kind     Kind
	From, To int    // bytes of the reply
	Calls    []Call // of KindCall, in order; only those without Why run
	// Behind marks text after a call that runs. The model wrote it before it knew the
	// result; it belongs to the call's block and isn't shown as an answer.
	Behind bool
	// Over marks a turn or a result that the model made up, up to the end of the reply. It is
	// Behind a call, or else a thought.
	Over bool
	// Why says why a text that looks like a call isn't one, in words for the model; ""
	// if it doesn't look like one. The model may be told once.
	Why  string
	Tool string // the tool that Why is about
}

// Call is a call of a tool as a model meant it.
type Call struct {
	Name string // the tool's own name; as the model wrote it if there is no such tool
	// Args are the named arguments: strings, json.Number, bool, []any and map[string]any.
	// A null is left out. Names of parameters are as written. Nil if the argument is Text.
	Args map[string]any
	Text string // the argument of a directive, "AGENT: coder Sort 3 numbers", byte for byte
	Why  string // why the call doesn't run, in words for the model; "": it runs
}

// Tool is what a model may call.
type Tool struct {
	Name string // AGENT, or server.tool for a tool of another program
	// For is set if the name stands for a call of another tool with the name as its first
	// argument: an agent's slug stands for AGENT. Such a name counts only in an envelope.
	For    string
	Params []string // names of the parameters in order, which arguments without a name need
	Reads  bool     // it changes nothing
	Asks   bool     // the person is asked before it acts
	Long   bool     // its text goes on over several lines, to the next call
	// Fits returns why a call makes no sense: there is no such agent, the address is none.
	// Nil accepts all calls.
	Fits func(Call) error
}

// Quoted is text that the model saw and that isn't its own.
type Quoted struct {
	Text string
	Own  bool // the person's message of this turn
}
