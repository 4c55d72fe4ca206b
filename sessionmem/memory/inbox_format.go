package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"mac-stats/sessionmem/memorytext"
)

// The inbox is a list that people can read and edit. Each bullet is a proposal:
//
//	- [k3x9qa] add to global: Likes green tea <!-- 2026-11-21T10:15:02+01:00 session=cpu-a blocks=u1..a9 confidence=0.8 why=strangers -->
//	- [m2p4zz] replace in agent 002: Uses Go 1.25 => Uses Go 1.26 <!-- 2026-11-21T10:16:40+01:00 session=cpu-a -->
//	- [q7t1bb] remove from global: Likes tea
//
// A bullet in another form, written by hand, proposes its text for all agents. A bullet
// without an ID gets one derived from its words. All other text in the file is ignored.

// inboxHead is the beginning of a new inbox.
const inboxHead = `# Proposed memories

Nothing here is remembered before you accept it: in the window, or with
` + "`mac-stats memory inbox accept ID`" + `. Change words or delete lines as you like.
`

var (
	inboxID  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[([\pL\pN_-]{1,40})\]\s+`) })
	inboxHow = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:(add) to|(replace) in|(remove) from) ([^:]{1,120}): *`)
	})
	arrowSign = regexp.MustCompile(`(\\*)=>`)
	arrowKept = regexp.MustCompile(`\\(\\*=>)`)
)

// arrow separates the old words from the new ones. Within the old words it is escaped as
// \=>.
const arrow = " => "

// parseProposals returns the proposals among the bullets of an inbox.
func parseProposals(m memorytext.Text) []Proposal {
	var list []Proposal
	seen := map[string]int{}
	for _, it := range m.Items {
		b, ok := it.Bullet()
		if !ok {
			continue
		}
		p := parseProposal(b)
		seen[p.ID]++
		for n := seen[p.ID]; n > 1; n++ { // a copy made by hand
			id := p.ID + "-" + strconv.Itoa(n)
			if seen[id] == 0 {
				seen[p.ID], p.ID = n, id
				seen[id]++
				break
			}
		}
		list = append(list, p)
	}
	return list
}

// parseProposal reads one bullet.
func parseProposal(b memorytext.Bullet) Proposal {
	p := Proposal{Kind: ProposeAdd, Target: Target{Kind: TargetGlobal}, Line: b.Line}
	p.parseOrigin(b.From)
	text := b.Text
	if found := inboxID().FindStringSubmatch(text); found != nil {
		p.ID, text = strings.ToLower(found[1]), text[len(found[0]):]
	} else {
		sum := sha256.Sum256([]byte(text))
		p.ID = strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:6])
	}
	how := inboxHow().FindStringSubmatch(text)
	if how == nil {
		p.Text = text
		return p
	}
	target, ok := parseTarget(how[4])
	if !ok {
		p.Text = text
		return p
	}
	words := strings.TrimSpace(text[len(how[0]):])
	switch kind := ProposalKind(strings.ToLower(how[1] + how[2] + how[3])); kind {
	case ProposeReplace:
		before, after, found := cutArrow(words)
		if !found {
			p.Text = text
			return p
		}
		p.Kind, p.Old, p.Text = kind, before, after
	case ProposeRemove:
		p.Kind, p.Old = kind, words
	default:
		p.Text = words
	}
	p.Target = target
	return p
}

// cutArrow splits "old => new".
func cutArrow(words string) (before, after string, found bool) {
	before, after, found = strings.Cut(words, arrow)
	return arrowKept.ReplaceAllString(strings.TrimSpace(before), "$1"), strings.TrimSpace(after), found
}

// parseOrigin reads the comment after a proposal and ignores what it doesn't know.
func (p *Proposal) parseOrigin(from string) {
	for word := range strings.FieldsSeq(from) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "session":
			p.Session = value
		case "blocks":
			p.From, p.To, _ = strings.Cut(value, "..")
		case "why":
			p.Why = value
		case "accepting":
			p.Accepting = value == "yes"
		case "confidence":
			if c, err := strconv.ParseFloat(value, 64); err == nil && c >= 0 && c <= 1 {
				p.Confidence = c
			}
		default:
			if at, err := time.Parse(time.RFC3339, word); err == nil {
				p.Time = at
			}
		}
	}
}

// bullet returns the proposal as the inbox writes it, without the list's sign.
func (p Proposal) bullet() string {
	words := p.Text
	how := "add to"
	switch p.Kind {
	case ProposeReplace:
		how, words = "replace in", arrowSign.ReplaceAllString(p.Old, `\$1=>`)+arrow+p.Text
	case ProposeRemove:
		how, words = "remove from", p.Old
	}
	line := fmt.Sprintf("[%s] %s %s: %s", p.ID, how, p.Target, words)
	if origin := p.origin(); origin != "" {
		line += " <!-- " + origin + " -->"
	}
	return line
}

// origin returns the comment that follows a proposal.
func (p Proposal) origin() string {
	var parts []string
	if !p.Time.IsZero() {
		parts = append(parts, p.Time.Format(time.RFC3339))
	}
	if s := memorytext.PlainName(p.Session); s != "" {
		parts = append(parts, "session="+s)
	}
	if from, to := memorytext.PlainName(p.From), memorytext.PlainName(p.To); from != "" || to != "" {
		parts = append(parts, "blocks="+from+".."+to)
	}
	if p.Confidence > 0 {
		parts = append(parts, "confidence="+strconv.FormatFloat(p.Confidence, 'g', 3, 64))
	}
	if why := memorytext.PlainName(p.Why); why != "" {
		parts = append(parts, "why="+why)
	}
	if p.Accepting {
		parts = append(parts, "accepting=yes")
	}
	return strings.Join(parts, " ")
}
