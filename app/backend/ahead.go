package backend

import (
	"context"
	"fmt"
	"time"

	"mac-stats/app/monitor"
	"mac-stats/sessionmem/loopback"
)

// preparedBelow is the temperature, in °C, from which the machine is left to cool: nothing is
// read in advance.
const preparedBelow = 80

// NotAhead returns why the model server may not read the beginning of the next request in
// advance now, for people; "" if it may.
func (b *Backend) NotAhead(ctx context.Context) string {
	switch prepare := b.Config().Ollama.Prepare; {
	case prepare == "off":
		return "ollama.prepare is off"
	case prepare != "on" && !loopback.Is(b.Client.Host().Hostname()):
		return "the server is on another machine, which ollama.prepare = \"on\" would allow"
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	now := b.Monitor.Sample(ctx, monitor.Battery, monitor.Temperature)
	switch {
	case now.Battery.NA == "" && now.Battery.OnBattery:
		return "this machine runs on battery"
	case now.Temperature.NA == "" && now.Temperature.Celsius >= preparedBelow:
		return fmt.Sprintf("this machine is hot: %.0f °C", now.Temperature.Celsius)
	}
	return ""
}

// memoryChanged is called after each edit of a memory file.
func (b *Backend) memoryChanged() {
	b.Keeper.LookAtMemory()
	if b.Engine != nil { // not while the app opens
		b.Engine.MemoryChanged()
	}
}

// preparing tells the window that a model reads the next request in advance, or, with "",
// that this has ended.
func (b *Backend) preparing(model string) {
	b.ahead.Store(&model)
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeAhead, Text: model})
}
