package vitals

import (
	"mac-stats/app/monitor"
)

// Source measures the machine; *monitor.Monitor implements it.
type Source interface {
	Show(open bool, metrics ...monitor.Metric) (stop func())
	Subscribe(f func(monitor.Snapshot)) (stop func())
	Snapshot() monitor.Snapshot
	Series(metric monitor.Metric, r monitor.Range) monitor.Series
	Quit(p monitor.Process, force bool) error
	Runs(p monitor.Process) bool
}
