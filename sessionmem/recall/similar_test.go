package recall

import (
	"strings"
	"testing"
)

// Similar words of every word are only left out in questions that are evidently English.
func TestOtherLanguagesAreNotTakenForEnglish(t *testing.T) {
	b := newBench(t)
	for language, c := range map[string]struct {
		questions string
		want      bool
	}{
		"English": {`what did we decide about the budget for the garden
			where is the key of the old boiler
			who repaired the roof last summer and what did it cost
			how often should I water the tomatoes on the balcony
			which train do we take to the wedding in Leeds`, false},
		"Polish": {`co ustaliliśmy w sprawie budżetu na ogród
			gdzie leży klucz do starego kotła
			kto naprawiał dach zeszłego lata i ile to kosztowało
			jak często mam podlewać pomidory na balkonie
			którym pociągiem jedziemy na wesele do Krakowa
			czy kot był już u weterynarza w tym roku
			na kiedy umówiliśmy się z dentystą
			ile soli dodać do ciasta na chleb
			jaki prezent wybraliśmy dla babci na urodziny
			kiedy kończy się umowa z dostawcą internetu`, true},
		"Czech": {`co jsme se rozhodli ohledně rozpočtu na zahradu
			kde je klíč od starého kotle
			kdo loni v létě opravoval střechu a kolik to stálo
			jak často mám zalévat rajčata na balkoně
			kterým vlakem pojedeme na svatbu do Brna
			byla už kočka letos u veterináře
			na kdy jsme objednaní k zubaři
			kolik soli patří do chlebového těsta
			jaký dárek jsme vybrali babičce k narozeninám
			kdy končí smlouva s poskytovatelem internetu`, true},
		"names beyond ASCII": {"what did Zoë say about the garden in the spring\nwho was with Łukasz at the station", true},
		"a word":             {"metsä\nogrod\nRegal", true},
	} {
		for question := range strings.SplitSeq(c.questions, "\n") {
			if got := b.x.asksSimilar(strings.TrimSpace(question)); got != c.want {
				t.Errorf("%s: %q: %v, want %v", language, question, got, c.want)
			}
		}
	}
}

func TestASearchFindsOtherFormsOfAWordWithoutAStemmer(t *testing.T) {
	b := newBench(t)
	b.talk("cpu-a", "W ogrodzie za domem rosną stare jabłonie.", "Ile ich jest?")
	b.talk("cpu-b", "V kuchyni na stole leží nůž.", "Je ostrý?")
	b.talk("cpu-c", "Kävimme eilen metsässä sienestämässä.", "Löytyikö mitään?")
	b.sync()
	for question, want := range map[string]string{
		"stary ogród jabłoń": "W ogrodzie za domem rosną stare jabłonie.",
		"kuchyně stůl":       "V kuchyni na stole leží nůž.",
		"metsä sieni":        "Kävimme eilen metsässä sienestämässä.",
	} {
		if got := b.first(question); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
