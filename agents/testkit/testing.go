package testkit

// TB is the part of testing.TB that Start needs, so that programs don't link the testing
// package.
type TB interface {
	Helper()
	Cleanup(f func())
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Start starts a server for a test and closes it when the test ends. A chat that no rule
// matched fails the test.
func Start(t TB, script Script) *Server {
	t.Helper()
	s := New(script)
	if err := s.Start(); err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() {
		for _, r := range s.Unmatched() {
			t.Errorf("the scripted server has no rule for: %s %s %s", r.Method, r.Path, r.Raw)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%v", err)
		}
	})
	return s
}
