package cli

import (
	"fmt"
	"strings"
	"testing"
)

func TestDoctorListsCrashes(t *testing.T) {
	e := newEnv(t, answering("x"))
	for i := range 5 {
		e.write(t, fmt.Sprintf("logs/crash-2026112%d-101500-7.new.txt", i), "mac-stats stopped unexpectedly\n\ncause:   panic: number "+fmt.Sprint(i)+"\n")
	}
	o := e.run(t, "doctor")
	if o.code != exitDone || !strings.Contains(o.stdout, "· crash") || !strings.Contains(o.stdout, "2026-11-24 10:15:00: panic: number 4; the report: "+e.home) ||
		!strings.Contains(o.stdout, "2 earlier reports") || strings.Contains(o.stdout, "number 1") {
		t.Errorf("got %+v", o)
	}
	if json := e.must(t, "doctor", "--json"); !strings.Contains(json, `"name":"crash","ok":true,"found":"2026-11-24`) || !strings.Contains(json, `"name":"version"`) {
		t.Errorf("got %s", json)
	}
}
