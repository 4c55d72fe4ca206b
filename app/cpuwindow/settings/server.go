package settings

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mac-stats/app/i18n"
	"mac-stats/app/ui/column"
	"mac-stats/app/ui/kit"
	"mac-stats/app/ui/prose"
	"mac-stats/sessionmem/recall"
)

// testTimeout is the limit for testing the memory server.
const testTimeout = 15 * time.Second

// serverCard shows which memory server is used and its state, and tests it.
type serverCard struct {
	*column.CardRow
	page    *Page
	facts   *prose.Text
	detail  *prose.Text
	test    *kit.Button
	address string // the address that facts belong to, without a password; "" if none is set
	secret  bool   // the address has a password
	busy    bool
}

func newServerCard(p *Page) *serverCard {
	c := &serverCard{page: p, facts: prose.New(nil, kit.SizeText, kit.RoleText), detail: prose.New(nil, kit.SizeSmall, kit.RoleMuted)}
	c.test = kit.NewButton(kit.ButtonPlain, i18n.T("Test connection"), c.onTest)
	c.CardRow = column.NewCardRow(kit.RoleNone, c.facts, c.detail, kit.Line(kit.Gap8, -1, c.test))
	c.Pad, c.Gap = kit.Gap12, kit.Gap8
	return c
}

// used reports whether a memory server is configured.
func (c *serverCard) used() bool { return c.page.parts.Config().Recall.Backend == "postgres" }

// refresh shows the configured address.
func (c *serverCard) refresh() {
	address, secret := "", false
	if c.used() {
		address = c.page.parts.Index.ServerName()
		secret = address != c.page.parts.Config().Recall.PostgresURL
	}
	if address == c.address && secret == c.secret {
		return
	}
	c.address, c.secret = address, secret
	c.setText(i18n.With("Memory server: {{.Address}}", i18n.Places{"Address": address}), i18n.T("Not tested yet. Other machines are searched as soon as it can be reached."))
}

// onTest tests the server in the background.
func (c *serverCard) onTest() {
	if c.busy {
		return
	}
	c.busy = true
	address := c.address
	head := i18n.With("Memory server: {{.Address}}", i18n.Places{"Address": address})
	c.setText(head, i18n.T("Connecting…"))
	go func() {
		ctx, stop := context.WithTimeout(c.page.host.Context(), testTimeout)
		status, err := c.page.parts.Index.TestServer(ctx)
		stop()
		c.page.host.Do(func() {
			c.busy = false
			switch {
			case c.address != address || err == nil && status == nil: // the address has changed
			case err != nil:
				c.setText(head, i18n.Sentence(i18n.Capital(err.Error()))+" "+i18n.T("Until then this machine searches its own files; nothing is lost."))
			default:
				c.setText(head, serverWords(status))
			}
		})
	}()
}

func (c *serverCard) setText(facts, detail string) {
	if c.secret {
		detail += "\n" + i18n.T("The address contains a password, which anyone who reads config.toml can see. Save it with `mac-stats memory backend password` and remove it from the address.")
	}
	c.facts.SetRuns([]prose.Run{{Text: facts}})
	c.detail.SetRuns([]prose.Run{{Text: detail}})
	c.page.View.Remeasure(c)
	c.Refresh()
}

// serverWords describes what the server is and what each machine stored there.
func serverWords(s *recall.ServerStatus) string {
	how := i18n.T("by words and by meaning")
	if s.Vectors == "" {
		how = i18n.T("by words alone, because it has no pgvector 0.7 or newer")
	}
	words := i18n.With("PostgreSQL {{.Version}} answers in {{.Time}} and is searched {{.How}}.", i18n.Places{
		"Version": s.Version, "Time": fmt.Sprintf("%.0f ms", float64(s.Took.Microseconds())/1000), "How": how,
	})
	var machines []string
	for _, m := range s.Machines {
		name := m.Name
		if m.Mine {
			name = i18n.Capital(i18n.T("this machine"))
		}
		machines = append(machines, name+": "+i18n.Count("{{.N}} passages", m.Passages))
	}
	return words + "\n" + strings.Join(machines, " · ")
}
