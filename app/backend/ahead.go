package backend

import (
	"context"
	"time"

	"mac-stats/app/monitor"
	"mac-stats/sessionmem/loopback"
)

// preparedBelow is the temperature, in °C, from which the machine is left to cool: nothing is
// read in advance.
const preparedBelow = 80

// mayPrepare reports whether the model server may read the beginning of the next request in
// advance: the setting allows it, the server is on this machine, and the machine runs on
// mains and isn't hot.
func (b *Backend) mayPrepare(ctx context.Context) bool {
	if b.Config().Ollama.Prepare == "off" || !loopback.Is(b.Client.Host().Hostname()) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	now := b.Monitor.Sample(ctx, monitor.Battery, monitor.Temperature)
	onBattery := now.Battery.NA == "" && now.Battery.OnBattery
	hot := now.Temperature.NA == "" && now.Temperature.Celsius >= preparedBelow
	return !onBattery && !hot
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
	b.notify.publish(Notice{Time: time.Now(), Kind: NoticeAhead, Text: model})
}
