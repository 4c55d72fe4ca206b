package recall

import "context"

// BrokenServer returns a server that fails with err: searches use this machine's index and
// report the error.
func BrokenServer(err error) Server { return brokenServer{err: err} }

// brokenServer implements only these two: every use of a server calls one of them first.
type brokenServer struct {
	Server
	err error
}

func (b brokenServer) Candidates(context.Context, ServerQuestion) (ServerFound, error) {
	return ServerFound{}, b.err
}
func (b brokenServer) Prints(context.Context) (map[string]string, error) { return nil, b.err }
