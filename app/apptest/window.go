package apptest

import (
	"context"
	"time"

	"mac-stats/agents"
	"mac-stats/app/monitor"
)

// Run is a run whose events a test sends. It keeps what it was told.
type Run struct {
	Sent    chan agents.Event
	Stopped bool
	Calls   []string // stopped
	Answers map[string]agents.Answer
}

// NewRun returns a run that holds up to 64 events that nobody has taken yet.
func NewRun() *Run { return &Run{Sent: make(chan agents.Event, 64)} }

// Stop implements conversation.Run.
func (r *Run) Stop() { r.Stopped = true }

// StopCall implements conversation.Run.
func (r *Run) StopCall(id string) { r.Calls = append(r.Calls, id) }

// Answer implements conversation.Run. It keeps only the last answer.
func (r *Run) Answer(id string, answer agents.Answer) bool {
	r.Answers = map[string]agents.Answer{id: answer}
	return true
}

// Events returns the events that the test sends, until it closes Sent or ctx ends.
func (r *Run) Events(ctx context.Context) <-chan agents.Event {
	out := make(chan agents.Event)
	go func() {
		defer close(out)
		for {
			select {
			case ev, more := <-r.Sent:
				if !more {
					return
				}
				out <- ev
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// Snapshot returns a reading of a machine with every metric.
func Snapshot() monitor.Snapshot {
	procs := []monitor.Process{
		{PID: 1 << 20, Since: 7, Name: "stubborn", CPU: 182, Memory: 4.1e9},
		{PID: 1, Since: 1, Name: "init", CPU: 1, Memory: 1e6},
	}
	return monitor.Snapshot{
		Time: time.Date(2026, 3, 14, 10, 20, 30, 0, time.Local),
		CPU:  monitor.CPUReading{Percent: 37, Cores: []float64{12, 97}, Load1: 1.5, Load5: 1, Load15: 0.5},
		Memory: monitor.MemoryReading{
			Used: 8 << 30, Total: 16 << 30, Available: 8 << 30, Cached: 3 << 30, SwapNA: "no swap", Pressure: "waiting 0.4 % of the time",
		},
		GPU:         monitor.GPUReading{NA: "no readable GPU"},
		Temperature: monitor.TemperatureReading{Sensor: "coretemp", Celsius: 81, All: []monitor.Sensor{{Name: "coretemp", Celsius: 81}, {Name: "nvme", Celsius: 40}}},
		Disk: monitor.DiskReading{Free: 5e9, Total: 100e9, ReadRate: 1e6, WriteRate: 2e6, Volumes: []monitor.Volume{
			{Path: "/", Free: 5e9, Total: 100e9, ReadRate: 1e6}, {Path: "/data", Free: 1e12, Total: 2e12, RateNA: "none"},
		}},
		Network:   monitor.NetworkReading{Down: 2e6, Up: 1e5},
		Battery:   monitor.BatteryReading{Percent: 9, OnBattery: true},
		Processes: monitor.ProcessesReading{Count: 99, Top: procs, ByMemory: []monitor.Process{procs[1], procs[0]}},
	}
}
