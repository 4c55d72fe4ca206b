package prompt

// Tier is the size of a model's prompt, or of its set of tools. The two are chosen
// independently: a model of 8B needs more worked examples than one of 70B, and can
// handle fewer tools.
type Tier string

// The tiers.
const (
	TierLarge  Tier = "large"  // terse rules; all tools
	TierMiddle Tier = "middle" // the same rules with examples and common mistakes; the tools the agent needs
	TierPlain  Tier = "plain"  // only the memory; no tools, no delegation
)

// Sizes in parameters. Below plainBelow, models can't follow instructions of more than a
// sentence: with SmolLM2-135M, every sentence of a system prompt led answers off topic.
// From largeFrom on, examples cost more than they help.
const (
	plainBelow = 2_500_000_000
	largeFrom  = 30_000_000_000
	// plainContext is the context, in tokens, in which rules and tools leave no room for a
	// conversation.
	plainContext = 2048
)

// TierFor returns the tier for a model with that many parameters and that context in
// tokens; 0 means unknown.
func TierFor(parameters int64, context int) Tier {
	switch {
	case parameters > 0 && parameters < plainBelow, context > 0 && context < plainContext:
		return TierPlain
	case parameters > largeFrom:
		return TierLarge
	}
	return TierMiddle
}

// ChooseTier returns the first of the settings that names a tier, else the model's tier.
func ChooseTier(model Tier, settings ...string) Tier {
	for _, s := range settings {
		switch t := Tier(s); t {
		case TierLarge, TierMiddle, TierPlain:
			return t
		}
	}
	return model
}
