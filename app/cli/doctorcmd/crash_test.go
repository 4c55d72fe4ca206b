package doctorcmd_test

import (
	"fmt"
	"strings"
	"testing"

	"mac-stats/app/cli/clitest"
)

func TestDoctorListsCrashes(t *testing.T) {
	e := clitest.New(t, clitest.Answering("x"))
	for i := range 5 {
		e.Write(t, fmt.Sprintf("logs/crash-2026112%d-101500-7.new.txt", i), "mac-stats stopped unexpectedly\n\ncause:   panic: number "+fmt.Sprint(i)+"\n")
	}
	o := e.Run(t, "doctor")
	if o.Code != clitest.Done || !strings.Contains(o.Stdout, "· crash") || !strings.Contains(o.Stdout, "2026-11-24 10:15:00: panic: number 4; the report: "+e.Home) ||
		!strings.Contains(o.Stdout, "2 earlier reports") || strings.Contains(o.Stdout, "number 1") {
		t.Errorf("got %+v", o)
	}
	if json := e.Must(t, "doctor", "--json"); !strings.Contains(json, `"name":"crash","ok":true,"found":"2026-11-24`) || !strings.Contains(json, `"name":"version"`) {
		t.Errorf("got %s", json)
	}
}
