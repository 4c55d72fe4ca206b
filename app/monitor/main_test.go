package monitor

import (
	"os"
	"testing"
)

// TestMain lets the test program be the child of a reading.
func TestMain(m *testing.M) {
	Child()
	os.Exit(m.Run())
}
