package agents

import (
	"cmp"

	"mac-stats/sessionmem/transcript"
)

// A message can be for an agent or a skill of its own, in whatever conversation it is:
// then the conversation's agent is not asked. Its block says so, so that it is answered
// again by the same one.

const (
	attrTo    = "to"    // the agent a message is for
	attrSkill = "skill" // the skill by whose rules it is answered
)

// address are the attributes of the message that say whom it is for; nil for nobody.
func (t *turn) address() map[string]string {
	var attrs map[string]string
	for key, value := range map[string]string{attrTo: t.req.Agent, attrSkill: t.req.Skill} {
		if value != "" && attrs == nil {
			attrs = map[string]string{}
		}
		if value != "" {
			attrs[key] = value
		}
	}
	return attrs
}

// AddressOf is the agent or the skill that a message is for; "" where it is for the
// conversation's own agent.
func AddressOf(b transcript.Block) string {
	return cmp.Or(b.Attrs[attrTo], b.Attrs[attrSkill])
}

// readSkill finds the rules of the skill that the message is for.
func (t *turn) readSkill() error {
	if t.req.Skill == "" {
		return nil
	}
	s, err := t.engine.p.Registry.FindSkill(t.req.Skill)
	if err == nil {
		t.rules = "\n\nAnswer this message by the rules of the skill " + s.Name + ":\n\n" + s.Body
	}
	return err
}
