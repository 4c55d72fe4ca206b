//go:build !linux

package monitor

import (
	"errors"
	"fmt"
	"io/fs"

	system "github.com/distatus/battery"
)

// batteries reads this machine's batteries. The library doesn't tell whether the machine is
// supplied from outside.
func batteries(host) (all []battery, supplied mains, err error) {
	found, err := system.GetAll()
	var fatal system.ErrFatal
	if errors.As(err, &fatal) && (errors.Is(fatal.Err, fs.ErrNotExist) || errors.Is(fatal.Err, system.ErrNotFound)) {
		return nil, unknown, nil // without power supplies there is no battery
	}
	var errs system.Errors
	if err != nil && !errors.As(err, &errs) {
		return nil, unknown, err //nolint:wrapcheck // the caller says what it is about
	}
	for i, b := range found {
		one := battery{name: fmt.Sprintf("battery %d", i+1)}
		var partial system.ErrPartial
		switch {
		case i < len(errs) && errs[i] != nil && !(errors.As(errs[i], &partial) && partial.Full == nil && partial.Current == nil), b == nil, b.Full <= 0:
			one.unread = true
		default:
			one.percent, one.size = share(b.Current, b.Full), b.Full
			one.charging = b.State.Raw == system.Charging
			one.discharging = b.State.Raw == system.Discharging || b.State.Raw == system.Empty
		}
		all = append(all, one)
	}
	return all, unknown, nil
}
