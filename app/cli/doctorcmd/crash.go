package doctorcmd

import (
	"fmt"
	"time"

	"mac-stats/app/cli/words"
	"mac-stats/app/crash"
)

// crashesListed is the largest number of crashes that doctor lists.
const crashesListed = 3

// crashChecks lists the last crashes. They are not findings, because there is nothing to
// fix.
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
