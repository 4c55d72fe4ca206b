package prompt

// Tier is how much a model is told, or how many tools it is offered. The two are
// questions of their own: a model of 8B wants more worked examples than one of 70B, and
// may have fewer tools.
type Tier string

// The tiers.
const (
	TierLarge  Tier = "large"  // terse rules; all tools
	TierMiddle Tier = "middle" // the same rules with examples and what goes wrong; the tools the agent needs
	TierPlain  Tier = "plain"  // the memory alone; no tools, no delegation
)

// Sizes in parameters. Below plainBelow models follow no instruction beyond a sentence:
// measured with SmolLM2-135M, every sentence of a system prompt took answers off their
// topic. Above largeFrom examples cost more than they help.
const (
	plainBelow = 2_500_000_000
	largeFrom  = 30_000_000_000
	// plainContext is the context, in tokens, in which rules and tools leave no room to talk.
	plainContext = 2048
)

// TierFor is the tier of a model with so many parameters and so large a context; 0 where
// that isn't known.
func TierFor(parameters int64, context int) Tier {
	switch {
	case parameters > 0 && parameters < plainBelow, context > 0 && context < plainContext:
		return TierPlain
	case parameters > largeFrom:
		return TierLarge
	}
	return TierMiddle
}

// ChooseTier is the first of the settings that names a tier, else the model's.
func ChooseTier(model Tier, settings ...string) Tier {
	for _, s := range settings {
		switch t := Tier(s); t {
		case TierLarge, TierMiddle, TierPlain:
			return t
		}
	}
	return model
}
