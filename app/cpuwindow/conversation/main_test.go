package conversation

import (
	"fmt"
	"os"
	"testing"

	"mac-stats/app/i18n"
)

// The tests run in English, whatever the machine's language, because they check what people
// see.
func TestMain(m *testing.M) {
	for _, name := range []string{"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"} {
		if err := os.Setenv(name, "en_US.UTF-8"); err != nil {
			panic(err)
		}
	}
	if err := i18n.Load(os.DirFS("../../../assets")); err != nil {
		fmt.Fprintln(os.Stderr, err) // a test of the window can fix it
	}
	os.Exit(m.Run())
}
