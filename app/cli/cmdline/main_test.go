package cmdline_test

import (
	"testing"

	"mac-stats/app/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }
