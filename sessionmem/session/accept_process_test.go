//go:build unix

package session_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mac-stats/sessionmem/memory"
)

// acceptAll is the process that accepts until it is killed; it reports each.
func acceptAll(ctx context.Context, m *memory.Memory) error {
	waiting, err := m.Inbox()
	if err != nil {
		return err
	}
	for _, p := range waiting {
		if _, err := m.Accept(ctx, p.ID); err != nil {
			return err
		}
		fmt.Println(p.ID)
	}
	return nil
}

// A process that accepts proposals is killed again and again, at any moment, and the next one
// continues. In the end every proposal has been accepted once.
func TestAcceptSurvivesKills(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := memory.New(memory.Config{Root: root})
	const many = 30
	var lines []string
	for i := range many {
		lines = append(lines, fmt.Sprintf("- old fact %d stays or goes", i))
	}
	writeFile(t, m.Path(global), strings.Join(lines, "\n")+"\n")
	for i := range many {
		p := memory.Proposal{Text: fmt.Sprintf("brand new thing %d", i)}
		switch i % 3 {
		case 1:
			p.Kind, p.Old = memory.ProposeReplace, fmt.Sprintf("old fact %d stays or goes", i)
		case 2:
			p = memory.Proposal{Kind: memory.ProposeRemove, Old: fmt.Sprintf("old fact %d stays or goes", i)}
		}
		propose(t, m, p)
	}
	kills := 0
	for ; kills < 40; kills++ {
		waiting, err := m.Inbox()
		must(t, err)
		if len(waiting) == 0 {
			break
		}
		cmd, _, out := start(t, "accept", root, "")
		out.Scan() // it is working on the next one
		time.Sleep(time.Duration(rand.IntN(6000)) * time.Microsecond)
		kill(t, cmd)
	}
	must(t, acceptQuietly(t.Context(), m)) // the rest
	texts := strings.Split(bulletTexts(t, m), "|")
	count := map[string]int{}
	for _, text := range texts {
		count[text]++
	}
	for i := range many {
		before, after := count[fmt.Sprintf("old fact %d stays or goes", i)], count[fmt.Sprintf("brand new thing %d", i)]
		want := [][2]int{{1, 1}, {0, 1}, {0, 0}}[i%3]
		if before != want[0] || after != want[1] {
			t.Errorf("proposal %d: the old line %d times, the new one %d times", i, before, after)
		}
	}
	t.Logf("killed %d times", kills)
}

func acceptQuietly(ctx context.Context, m *memory.Memory) error {
	waiting, err := m.Inbox()
	for _, p := range waiting {
		_, acceptErr := m.Accept(ctx, p.ID)
		err = errors.Join(err, acceptErr)
	}
	return err
}
