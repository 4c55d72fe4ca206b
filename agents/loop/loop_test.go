package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALoopIsDetected(t *testing.T) {
	passage := "The report lists the sales of each region. It compares them with the year before. "
	table := "| region | sales in thousands | change on the year before |\n|---|---|---|\n| north | 12 | up |\n| south | 14 | down |\n\n"
	var manyWords strings.Builder
	for i := range 400 {
		manyWords.WriteString([]string{"the cat ", "sat on ", "the mat and "}[i*i%3])
	}
	for name, c := range map[string]struct {
		before, loop string
		times        int
		kept         string // end of the kept text, which begins with before
	}{
		"one word":                   {"Here it is: ", "memoizer ", 400, "memoizer"},
		"one word on lines":          {"Here it is:\n", "memoizer\n", 100, "memoizer"},
		"a sentence":                 {"First. ", "I am a person who is going to make the world a better place for all. ", 6, "for all."},
		"a passage":                  {"A summary of the report follows.\n\n", passage, 5, "the year before."},
		"a table":                    {"# Report\n\n", table, 5, "| down |"},
		"a paragraph in German":      {"", "Die Größe der Datei ist unverändert. Prüfen Sie bitte den Ordner und die Rechte.\n\n", 6, "die Rechte."},
		"Chinese without blanks":     {"天气很好", "我们今天去公园散步吧", 60, ""},
		"words in another order":     {"", manyWords.String(), 1, ""},
		"signs alone":                {"Well", "!?", 1000, "Well!"},
		"signs between the passages": {"Ok.\n", "- The disk is nearly full, so please delete old files and then try again\n", 6, "try again"},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.before + strings.Repeat(c.loop, c.times)
			got, loops := Trim(text)
			if !loops || !strings.HasPrefix(got, strings.TrimSpace(c.before)) || !strings.HasSuffix(got, c.kept) {
				t.Fatalf("loops %v, kept %q", loops, got)
			}
			if c.kept != "" && len(got) > len(c.before)+len(c.loop)+2 {
				t.Errorf("kept more than the passage once: %q", got)
			}
			var w Watch
			for _, r := range text {
				w.Write(string(r))
			}
			if !w.loops {
				t.Error("not noticed where it comes in small pieces")
			}
		})
	}
}

func TestRepetitiveTextsAreNotLoops(t *testing.T) {
	chorus := "Oh, row, row, row your boat, gently down the stream.\n"
	var numbers, rows strings.Builder
	for i := range 300 {
		fmt.Fprintf(&numbers, "%d\n", i)
		fmt.Fprintf(&rows, "| item %d | %d | in stock |\n", i, i*7)
	}
	for name, text := range map[string]string{
		"a refrain":          "Sing:\n" + strings.Repeat(chorus, 3) + "Merrily, merrily, life is but a dream.\n",
		"counting":           numbers.String(),
		"a long table":       rows.String(),
		"closing braces":     "func f() {\n" + strings.Repeat("\t}\n", 40) + "}\n",
		"a rule":             strings.Repeat("-", 500) + "\n" + strings.Repeat("* * *\n", 40),
		"a board of zeros":   "board := [8][8]int{\n" + strings.Repeat("\t{0, 0, 0, 0, 0, 0, 0, 0},\n", 8) + "}\n",
		"the same twice":     strings.Repeat("Copy the file to the server, then restart the service and look at the log once more. ", 2),
		"an empty code line": strings.Repeat("\n", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			if got, loops := Trim(text); loops {
				t.Errorf("taken for a loop after %q", got)
			}
		})
	}
}

// The project's own texts and programs are longer and more repetitive than most answers.
func TestOwnTextsAreNotLoops(t *testing.T) {
	for _, pattern := range []string{"../../*.md", "../*.go", "../../assets/config.toml", "../../scripts/*.sh", "../*/*.go", "../../sessionmem/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			for len(text) > 0 { // answers are a few thousand characters long
				piece := text[:min(6000, len(text))]
				if got, loops := Trim(piece); loops {
					t.Errorf("%s is taken for a loop after %q", file, got[max(len(got)-200, 0):])
				}
				text = text[len(piece):]
			}
		}
	}
}
