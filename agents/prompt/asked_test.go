package prompt

import "testing"

func TestOnlyAnnounces(t *testing.T) {
	for reply, want := range map[string]bool{
		"Let me check your CPU.":                                        true,
		"Sure! I'll look at the processes now.":                         true,
		"I will fetch the page and read it:":                            true,
		"I’ll use the SYSTEM_STATS tool to find out.":                   true,
		"First, I need the figures.":                                    false,
		"Checking the disk…":                                            true,
		"Ich werde die Auslastung prüfen.":                              true,
		"Je vais lire la page.":                                         true,
		"Voy a revisar el disco.":                                       true,
		"Let me know if you need more.":                                 false,
		"Let me explain how rainbows work: light is bent.":              false,
		"I'll look at it. Which file do you mean?":                      false,
		"I'll remember that.":                                           false,
		"Your CPU is at 12 %.":                                          false,
		"Let me check.\n\nYour CPU is at 12 % and all is well with it.": false,
		"": false,
	} {
		if got := OnlyAnnounces(reply); got != want {
			t.Errorf("%q: %v", reply, got)
		}
	}
}
