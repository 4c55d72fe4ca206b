package ollamatest

// TB is what Start needs of a testing.TB; this way the package does not link
// testing into programs.
type TB interface {
	Helper()
	Cleanup(f func())
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// Start starts a server for a test; at the test's end it is closed, and a chat
// that no rule matched fails the test.
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
