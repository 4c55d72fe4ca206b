package conversation

// liveTurn holds what the window knows about a turn that no transcript holds.
type liveTurn struct {
	rows  int        // rows of the turn that the transcript holds
	notes []liveNote // about the memory: to undo or decide
}

// liveNote is such a note, and the number of the turn's rows before it.
type liveNote struct {
	*entry
	after int
}

// isRow reports whether an entry looks the same when its transcript is read again.
func (e *entry) isRow() bool {
	return e.Kind == Head || e.Kind == Thinking || e.Kind == Call || e.Kind == Answer
}
