package lessons

import (
	"testing"
)

func TestClaimsToRemember(t *testing.T) {
	for _, answer := range []string{
		"I'll remember that.",
		"Got it! I'll remember that you prefer short answers.",
		"Sure, I’ll keep that in mind for next time.",
		"I will remember this.",
		"Okay, I'll make a note of it.",
		"Understood: I've noted that.",
		"I've saved that to my memory.",
		"I have noted that you prefer tea.",
		"I've noted your preference for short answers.",
		"I've added the birthday of your daughter to my memory.",
		"I've added a line about tea to memory.md.",
		"Your preferences have been saved.",
		"That's noted. How can I help you next?",
		"It has been saved to my long-term memory!",
		"I won't forget that.",
		"- I'll always remember to answer in German.",
		"Das merke ich mir.",
		"Alles klar, ich merke mir, dass du kurze Antworten magst.",
		"Gut, ich werde mir das merken.",
		"Ich habe mir notiert, dass du in Köln wohnst.", // the verb before the clause
		"Das habe ich gespeichert.",
		"Ich habe deine Vorliebe für kurze Antworten gespeichert.",
		"Ich habe es mir gemerkt!",
		"Deine Vorlieben wurden gespeichert.",
		"Das vergesse ich nicht.",
		"Verstanden. Das werde ich nicht vergessen.",
	} {
		if !ClaimsToRemember(answer) {
			t.Errorf("no claim: %q", answer)
		}
	}
	for _, answer := range []string{
		"",
		"I remember that film well.",
		"Do you remember the tea?",
		"Remember that goroutines are cheap.",
		"Noted!",
		"Would you like me to remember that?",
		"If you tell me, I'll remember that.",
		"I'll keep that in mind if you want.",
		"I can't remember things between conversations.",
		"I don't store anything, so I won't remember that.",
		"I'll remember that for this conversation.",
		"I'll keep it in mind as long as we talk.",
		"I've noted that your function leaks a goroutine.",
		"I've noted three problems in the code.",
		"I have saved the values in memory to make it faster.",
		"I've added a cache, so the index is kept in memory.",
		"I stored this in a map.",
		"I've saved it as main.go.",
		"I'll note that the loop never ends.",
		"The settings have been saved.",
		"Your files are saved in the Documents folder.",
		"You said \"I'll remember that\" yesterday.",
		"> I'll remember that.",
		"```\nfmt.Println(\"x\") // I'll remember that.\n```",
		"The phrase `I'll remember that` is often a lie.",
		"A model may say that it's saved.",
		"She said I'll remember that.",
		"It was recorded in 1969.",
		"That was noted in the report of the committee.",
		"Soll ich mir das merken?",
		"Wenn du magst, merke ich mir das.",
		"Ich kann mir das nicht merken.",
		"Ich merke mir nichts über dieses Gespräch hinaus.",
		"Ich habe die Datei gespeichert.",
		"Merke dir: Kanäle blockieren.",
		"Du kannst dir das so merken.",
		"Das ist in der Datei notiert.",
		"Ich habe mir die Datei angesehen.",
		"Ich habe das nicht gespeichert.",
		"Das Ergebnis wurde gespeichert.",
	} {
		if ClaimsToRemember(answer) {
			t.Errorf("a false alarm: %q", answer)
		}
	}
}

func TestIn(t *testing.T) {
	for message, want := range map[string]string{
		"Remember that I like tea.":                     "I like tea",
		"Hi! Please remember: my disk is called Backup": "My disk is called Backup",
		"I live in Porto.\nRemember that!":              "I live in Porto. Remember that!",
		"Ich mag Tee.":                                  "Ich mag Tee.",
		"Merke dir, dass ich Köln mag.":                 "Merke dir, dass ich Köln mag.",
		"Merke dir: Köln ist schön.":                    "Köln ist schön",
		"":                                              "",
	} {
		if got := In(message); got != want {
			t.Errorf("In(%q) = %q, want %q", message, got, want)
		}
	}
}
