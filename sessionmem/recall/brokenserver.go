package recall

import "context"

// BrokenServer returns a server that fails with err: searches use this machine's index and
// report the error.
func BrokenServer(err error) Server { return broken{err: err} }

// broken implements only these two: every use of a server calls one of them first.
type broken struct {
	Server
	err error
}

func (b broken) Candidates(context.Context, ServerQuestion) (ServerFound, error) {
	return ServerFound{}, b.err
}
func (b broken) Prints(context.Context) (map[string]string, error) { return nil, b.err }
