package main

import (
	"io"

	"mac-stats/app/api"
	"mac-stats/app/backend"
)

// noAPI is the Closer if there is no API.
type noAPI struct{}

func (noAPI) Close() error { return nil }

// serveAPI starts the local API if the settings ask for it. A failure is only a notice:
// everything else works without it.
func serveAPI(b *backend.Backend) io.Closer {
	cfg := b.Config().API
	if !cfg.Enabled || b.Demo {
		return noAPI{}
	}
	token, err := api.Token(b.Paths.Home)
	if err == nil {
		var s *api.Server
		if s, err = api.Serve(api.New(api.Params{Backend: b, Token: token, Logger: b.Logger}), cfg.Listen, b.Paths.Runtime, b.Paths.Home); err == nil {
			b.Logger.Info("the local api is offered", "network", s.Addr().Network(), "address", s.Addr().String())
			return s
		}
	}
	b.SetNotice(backend.Notice{
		Kind: backend.NoticeAPI, Text: "the local API is not offered: " + err.Error(),
		Next: "Put that right and restart mac-stats, or switch api.enabled off.",
	})
	return noAPI{}
}
