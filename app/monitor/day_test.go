package monitor

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// A day in the menu bar: the icon shows processor and memory, and the history of the other
// metrics is kept. One read hangs while the machine sleeps for eight hours.
func TestADayInTheMenuBar(t *testing.T) {
	started(t, func(t *testing.T, m *Monitor, readers map[Metric]*fakeReader) {
		const asleepFrom = 600 // number of the memory read
		var last time.Time
		readers[CPU].answer = func(int64) (func(*Snapshot), error) {
			last = time.Now()
			return func(*Snapshot) {}, nil
		}
		readers[Memory].answer = func(n int64) (func(*Snapshot), error) {
			if n == asleepFrom {
				time.Sleep(8 * time.Hour)
			}
			return func(*Snapshot) {}, nil
		}
		calls := 0
		m.Subscribe(func(Snapshot) { calls++ })
		begin := time.Now()
		defer m.Show(false, CPU, Memory)()
		defer m.Keep(CPU, Memory, Disk, Network, Temperature, Battery)()
		time.Sleep(time.Hour - time.Millisecond)
		synctest.Wait()
		goroutines := runtime.NumGoroutine()
		time.Sleep(23 * time.Hour)
		synctest.Wait()

		const day = 24 * time.Hour
		missed := int64(8 * time.Hour / defaultIntervalClosed)
		for metric, want := range map[Metric]int64{
			CPU:         int64(day / defaultIntervalClosed),
			Memory:      int64(day/defaultIntervalClosed) - missed, // missed reads are not made up for
			Disk:        int64(day / keptPace(Disk)),
			Network:     int64(day / keptPace(Network)),
			GPU:         0,
			Temperature: int64(day / keptPace(Temperature)),
			Battery:     int64(day / keptPace(Battery)),
			Processes:   0,
		} {
			if got := readers[metric].reads.Load(); got < want-1 || got > want+1 {
				t.Errorf("%s is read %d times in a day, want %d", metric, got, want)
			}
		}
		if drift := last.Sub(begin) % defaultIntervalClosed; drift != 0 {
			t.Errorf("after a day the ticks are off by %v", drift)
		}
		if most := int(day/defaultIntervalClosed) + 2; calls > most { // one more at the start, one when the hanging read ends
			t.Errorf("subscribers hear of it %d times, want %d: what is due together is told together", calls, most)
		}
		if n := runtime.NumGoroutine(); n > goroutines {
			t.Errorf("%d goroutines after an hour, %d after a day", goroutines, n)
		}
	})
}
