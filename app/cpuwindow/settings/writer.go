package settings

import "mac-stats/app/i18n"

// Writer writes settings one by one, in the order in which people changed them. It belongs
// to the UI goroutine.
type Writer struct {
	host    Host
	set     func(key, value string) error
	waiting []change // the first one is being written
}

// change is a setting to write; then may be nil.
type change struct {
	key, value string
	then       func(error)
}

// NewWriter returns a Writer that calls set, off the UI goroutine. set also reads
// config.toml again.
func NewWriter(h Host, set func(key, value string) error) *Writer {
	return &Writer{host: h, set: set}
}

// Set writes a setting, then calls then with the result. If then is nil, a failure is shown
// in the window.
func (w *Writer) Set(key, value string, then func(error)) {
	w.waiting = append(w.waiting, change{key, value, then})
	if len(w.waiting) == 1 {
		w.write()
	}
}

// write writes the first waiting setting, and then the next.
func (w *Writer) write() {
	c := w.waiting[0]
	go func() {
		err := w.set(c.key, c.value)
		if w.host.Context().Err() != nil {
			return
		}
		w.host.Do(func() {
			w.waiting = w.waiting[1:]
			if len(w.waiting) > 0 {
				w.write()
			}
			w.host.ConfigChanged()
			if c.then != nil {
				c.then(err)
			} else if err != nil {
				w.host.Notify(i18n.T("The setting was not changed"), err.Error())
			}
		})
	}()
}
