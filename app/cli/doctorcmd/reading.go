package doctorcmd

import (
	"cmp"
	"context"
	"fmt"

	"mac-stats/agents"
	"mac-stats/app/cli/words"
)

// countedAnswers is the number of answers whose reading doctor sums up.
const countedAnswers = 50

// readingChecks says whether the app reads prompts in advance, and how much of the last ones the
// model server had to read again, and why. It is no finding: some of it can't be avoided.
func (d *doctor) readingChecks(ctx context.Context) []check {
	list, err := d.b.Store.List(ctx)
	if err != nil {
		return nil // another check says so
	}
	answers, prompt, again := 0, 0, 0
	causes := map[string]int{}
	for i, info := range list { // the newest first
		if answers == countedAnswers || i == countedAnswers || ctx.Err() != nil {
			break
		}
		if info.Err != nil {
			continue
		}
		t, err := d.b.Store.Load(ctx, info.Name)
		if err != nil {
			continue
		}
		for i := len(t.Blocks) - 1; i >= 0 && answers < countedAnswers; i-- {
			u, why, ok := agents.ReadingOf(t.Blocks[i])
			if !ok {
				continue
			}
			answers, prompt = answers+1, prompt+u.PromptTokens
			if why != "" && why != agents.ReadBegan {
				again += u.NewTokens
				causes[why] += u.NewTokens
			}
		}
	}
	ahead := good("ahead", "the app lets the model server read the beginning of the next message in advance")
	if why := d.b.NotAhead(ctx); why != "" {
		ahead = noted("ahead", "nothing is read in advance: "+why)
	}
	if answers == 0 || prompt == 0 {
		return []check{ahead}
	}
	most := ""
	for why, n := range causes {
		if most == "" || n > causes[most] || n == causes[most] && cmp.Less(why, most) {
			most = why
		}
	}
	found := fmt.Sprintf("of the prompts of the last %s, %d %% was read again", words.Count(answers, "answer"), again*100/prompt)
	switch most {
	case agents.ReadBreak:
		found += ", mostly after a Summary, or because the model, its tools or its instructions changed"
	case agents.ReadMemory:
		found += ", mostly because lines of memory were removed or changed"
	case agents.ReadLost:
		found += ", mostly because other work used the model in between; OLLAMA_NUM_PARALLEL=2 on the server, or a small model of its own (ollama.small_model), keeps the two apart and takes more memory"
	}
	return []check{ahead, noted("reading", found)}
}
