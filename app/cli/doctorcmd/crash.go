package doctorcmd

import (
	"fmt"
	"time"

	"mac-stats/app/cli/words"
	"mac-stats/app/crash"
)

// crashesListed is how many crashes doctor lists at most.
const crashesListed = 3

// crashChecks list the last crashes. They are no finding: nothing is to be put right.
func crashChecks(home string) []check {
	reports, err := crash.Reports(home)
	var checks []check
	if err != nil {
		checks = append(checks, bad("crash", "a crash report can't be made: "+words.OneLine(err.Error(), 300), "Check the owner and the permissions of "+home+"/logs."))
	}
	for i, r := range reports {
		if i == crashesListed {
			checks = append(checks, noted("crash", fmt.Sprintf("%d earlier reports in %s/logs", len(reports)-i, home)))
			break
		}
		checks = append(checks, noted("crash", fmt.Sprintf("%s: %s; the report: %s", r.Time.Format(time.DateTime), words.OneLine(r.Cause, 200), r.Path)))
	}
	return checks
}
