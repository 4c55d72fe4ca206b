package recall

import "context"

// BrokenServer is a server that can't be used for what err says: searches go by this
// machine's index and say so.
func BrokenServer(err error) Server { return broken{err: err} }

// broken has no other method: Prints and Candidates come before all others.
type broken struct {
	Server
	err error
}

func (b broken) Candidates(context.Context, ServerQuestion) (ServerFound, error) {
	return ServerFound{}, b.err
}
func (b broken) Prints(context.Context) (map[string]string, error) { return nil, b.err }
