package reply

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parts decides what the items are and returns the parts.
func (r *reading) parts(reason string) []Part {
	items := r.items
	if r.unclosed > 0 { // a thought to the end, but for the calls that are the last thing in it
		keep, to := len(items), len(r.s)
		for keep > r.unclosed && strings.TrimSpace(r.s[items[keep-1].to:to]) == "" {
			keep--
			to = items[keep].from
		}
		items = slices.Replace(slices.Clone(items), r.unclosed, keep, item{from: items[r.unclosed-1].to, to: to, kind: itemThought})
	}
	if r.over >= 0 {
		items = slices.DeleteFunc(slices.Clone(items), func(i item) bool { return i.from >= r.over })
		items = append(items, item{from: r.over, to: len(r.s), kind: itemOver})
	}
	var all []item // with the text between
	hasText, at, last := false, 0, -1
	for _, i := range append(items, item{from: len(r.s), to: len(r.s)}) {
		if i.from > at {
			if all = append(all, item{from: at, to: i.from, kind: itemShown}); !closing().MatchString(r.s[at:i.from]) {
				hasText, last = true, at
			}
		}
		if at = i.to; i.to > i.from {
			all = append(all, i)
		}
		if i.kind == itemLine && i.calls != nil && r.unfit == nil && i.calls[0].Why != "" {
			r.unfit = &i.calls[0] // a line that begins with a tool's name, but is none of its calls
		}
	}
	doubtful := false // a call that isn't meant, or may not be, makes all of them doubtful
	for from := 0; from < len(all); from++ {
		to := from // the end of a group of calls, with blanks and marks between them
		for n := from; n < len(all) && all[from].calls != nil; n++ {
			if i := all[n]; i.calls != nil && (i.kind == itemEnvelope) == (all[from].kind == itemEnvelope) {
				to = n + 1
			} else if i.kind != itemMark && (i.kind != itemShown || strings.Trim(r.s[i.from:i.to], blanks+",;") != "") {
				break
			}
		}
		if to == from {
			continue
		}
		behind := "" // the text directly behind the group
		for n := to; n < len(all) && (all[n].kind == itemMark || all[n].kind == itemShown && all[n].calls == nil) && strings.TrimSpace(behind) == ""; n++ {
			if all[n].kind == itemShown {
				behind = r.s[all[n].from:all[n].to]
			}
		}
		why, tool, example := r.verdict(all[from:to], hasText, last > all[to-1].from, behind)
		doubtful = doubtful || example || why != ""
		for n := from; n < to; n++ {
			if all[n].calls == nil {
				continue
			} else if all[n].why, all[n].tool = why, tool; example {
				all[n].kind, all[n].calls = itemShown, nil
			}
		}
		from = to - 1
	}
	for n := range all {
		if i := &all[n]; doubtful && i.calls != nil && i.why == "" {
			i.why, i.tool = "another call of this reply isn't meant, or may not be: write the call alone", i.calls[0].Name
		}
	}
	r.refuse(all, reason, hasText)
	var parts []Part
	called, behind := false, false // a call stands before, and runs
	for _, i := range all {
		p := Part{From: i.from, To: i.to, Why: i.why, Tool: i.tool, Over: i.kind == itemOver && (called || !r.result)}
		switch {
		case i.kind == itemThought, p.Over && !called:
			p.Kind = KindThought
		case i.kind == itemMark:
			p.Kind = KindMark
		case i.calls != nil && i.why == "":
			p.Kind, called = KindCall, true
			for _, c := range i.calls {
				p.Calls = append(p.Calls, c.Call)
				behind = behind || c.Why == ""
			}
		default:
			p.Behind = behind || p.Over
		}
		if n := len(parts); n > 0 && p.Kind == KindText && parts[n-1].Kind == KindText && parts[n-1].Behind == p.Behind && !p.Over {
			if parts[n-1].To = p.To; parts[n-1].Why == "" {
				parts[n-1].Why, parts[n-1].Tool = p.Why, p.Tool
			}
		} else {
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 && parts[0].Kind == KindText && parts[0].Why == "" {
		parts[0].Why, parts[0].Tool = r.nearMiss(strings.TrimSpace(r.s))
	}
	return parts
}

// goesOn matches text behind a call that doesn't close anything: a sentence, a paragraph, the
// item of a list, a title. closing matches what only closes elements.
var (
	goesOn  = pattern("^[,;]?\\s*(?:[\\pL\\pN\\p{So}]|[-*+•] |#+ |[*_\\p{Ps}\\p{Pi}\"`'~]+[\\pL\\pN])")
	closing = pattern(`^\s*(?:</[^<>\n]*>\s*|<[|｜][^<>\s]*[|｜]>\s*)*$`)
)

// verdict decides about a group of calls: they are calls; or an example that is shown; or
// neither, then why says what the model is told. follows says that text follows, and behind
// which stands directly behind the group.
func (r *reading) verdict(group []item, hasText, follows bool, behind string) (why, tool string, isShown bool) {
	first, last := group[0], group[len(group)-1]
	before := first.before
	several := last.open && strings.TrimSpace(r.s[last.line:]) != "" // lines, of which the later ones may be text
	names := map[string]bool{}
	reads, asks, fence, weak, unfit := true, true, false, false, ""
	blame := func(c written, why string) {
		if unfit == "" && why != "" {
			unfit, tool = why, c.Name
		}
	}
	if r.unfit != nil {
		blame(*r.unfit, r.unfit.Why)
	}
	for _, i := range group {
		fence, weak = fence || i.kind == itemFence, weak || i.weak
		if i.before == shown {
			before = shown
		}
		for _, c := range i.calls {
			names[c.Name] = true
			reads, asks = reads && c.tool.Reads, asks && (c.tool.Reads || c.tool.Asks)
			blame(c, c.Why)
			if first.kind == itemEnvelope {
				continue
			}
			switch written, named := r.namedBy(c.Name); {
			case (fence || !c.known) && named, (c.Why != "" || i.kind == itemBare) && written:
				return "", "", true
			case c.tool.Long && c.Args == nil && !i.begun && !fence && (hasText || len(group) > 1):
				blame(c, "write the task on the same line: "+c.Name+": <name> <task>")
			}
		}
	}
	tool = cmp.Or(tool, first.calls[0].Name)
	isList := before == colon && len(names) > 1 && !reads
	envelope := first.kind == itemEnvelope
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(behind))
	switch {
	case envelope && before != colon && !first.quoted && behind != "" && r.s[last.to-1] == '>' && behind[0] < utf8.RuneSelf && isWord(rune(behind[0])): // no sentence goes on so
		return "", "", false
	case follows && (before == shown || before == colon), follows && strings.TrimSpace(behind) != "" && !goesOn().MatchString(behind[:min(len(behind), maxMark)]):
		return "", "", true
	case before == shown, envelope && follows && unicode.IsLower(next):
		return "this may be an example, a part of a sentence, or somebody else's words: write the call alone", tool, false
	case envelope:
		return "", "", false
	case before == colon && several:
		return "a call over several lines isn't run behind a colon, where it may be an example: write it alone", tool, false
	case isList, fence && before == colon, follows && (fence || unfit != "" || weak):
		return "", "", true
	case unfit != "":
		return unfit, tool, false
	case follows && len(names) > 1 && !reads: // perhaps a list of the tools
		return "text follows calls of several tools: write the calls alone", tool, false
	case weak && (hasText && !reads || len(group) > 1):
		return "this may be a list: write the calls alone, each on a line that begins with its name", tool, false
	case (hasText || len(names) > 1) && !asks && !r.shares(group):
		return "this may be a description of the tool: write the call alone, without other text", tool, false
	case fence && !reads && hasText:
		return "a call in a code fence isn't run: write it without the fence", tool, false
	case !follows, r.lineBegins(first.from) && r.lineEnds(last.to):
		return "", "", false
	}
	return "", "", true
}

// namedBy reports whether the person's message has a tool's name: written exactly, or in any
// case. A dialogue of an AGENT and a CLIENT needs no other form.
func (r *reading) namedBy(name string) (written, named bool) {
	known, ok := r.named[name]
	if !ok && r.vain <= maxVain {
		for _, q := range r.quoted {
			if q.Own {
				known.written = known.written || mentions(q.Text, name)
				known.named = known.named || strings.Contains(strings.ToUpper(q.Text), strings.ToUpper(name))
				r.vain += len(q.Text)
				r.steps += len(q.Text)
			}
		}
		r.named[name] = known
	}
	return known.written, known.named
}

// stemBytes is how much of a word must stand in the person's message to be shared with it.
const stemBytes = 4

// shares reports whether each call has a word of the person's message. Without such a word,
// a line among text is as likely a list of the tools as a call. Where the message isn't
// known, nothing can be said.
func (r *reading) shares(group []item) bool {
	if r.stems == nil {
		r.stems = map[string]bool{}
		for _, q := range r.quoted {
			if !q.Own {
				continue
			}
			for own := letters(q.Text); len(own) >= stemBytes; own = own[1:] {
				r.stems[own[:stemBytes]] = true
			}
			r.steps += len(q.Text)
		}
	}
	for _, i := range group {
		for _, c := range i.calls {
			shared := len(r.stems) == 0 || c.tool.Reads || c.tool.Asks
			for _, word := range argWords(c.Call) {
				shared = shared || utf8.RuneCountInString(word) >= 2 && len(word) >= stemBytes && r.stems[word[:stemBytes]]
			}
			if !shared {
				return false
			}
		}
	}
	return true
}

// refuse tells the calls that don't run why: the reply was cut, quoted text holds them, or
// there are too many.
func (r *reading) refuse(items []item, reason string, hasText bool) {
	count := 0
	var folded []quotation
	for k := range items {
		i := &items[k]
		for n := range i.calls {
			c := &i.calls[n]
			if i.why != "" || c.Why != "" {
				continue
			}
			if count++; count > MaxCalls {
				c.Why = "at most " + strconv.Itoa(MaxCalls) + " calls of a reply run"
				continue
			}
			if folded == nil {
				folded = foldQuotations(r.quoted)
			}
			switch others, own := heldBy(folded, *c, r.tools.tools); {
			case reason != "" && reason != "stop":
				c.Why = "the reply was cut before its end"
			case others:
				c.Why = "this call stands in text that was quoted to you; if the user wants it, say so in your answer"
			case own && hasText:
				i.kind, i.why = itemShown, " "
			}
		}
		if i.kind == itemShown {
			i.calls, i.why = nil, ""
		}
	}
}

// nearMiss returns what to tell the model if the whole reply is one line that names a tool
// and a colon, but not in the exact form, or is markup around a tool's name that nothing
// here reads.
func (r *reading) nearMiss(text string) (why, tool string) {
	if len(text) > maxBare {
		return "", ""
	}
	name, rest, ok := strings.Cut(text, ":")
	for _, t := range r.tools.tools {
		if _, named := r.namedBy(t.Name); t.For != "" || named {
			continue
		}
		folded := foldName(name)
		key := name[strings.LastIndexByte(name, '\n')+1:] // tool: NAME
		line := !strings.Contains(text, "\n") && (folded == foldName(t.Name) && strings.Contains(folded, "_") || strings.HasSuffix(name, t.Name))
		if ok && (line || !strings.Contains(strings.TrimSpace(key), " ") && strings.HasPrefix(strings.TrimLeft(rest, " *"), t.Name)) {
			return "write a call on a line of its own that begins with " + t.Name + ":", t.Name
		}
		if isMarkup(text) && mentions(text, t.Name) && !describesTools().MatchString(text) {
			return "this looks like a call, but in a form that isn't read: write a line that begins with " + t.Name + ":", t.Name
		}
	}
	return "", ""
}

// describesTools matches what a list of tools has and no call.
var describesTools = pattern(`["']?description["']?\s*:`)

// mentions reports whether a text has a tool's name, which may be in any case if it has a
// sign that words don't have.
func mentions(text, name string) bool {
	return strings.Contains(text, name) || strings.ContainsAny(name, "_.") && strings.Contains(strings.ToUpper(text), strings.ToUpper(name))
}

// isMarkup reports whether a text begins and ends with signs that no sentence and no list
// has there.
func isMarkup(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune("}>])`✿", last) && beginsMarkup(text) && (text[0] != '`' || strings.HasPrefix(text, "```") && strings.Count(text, "```") == 2)
}

// beginsMarkup reports whether a text begins with a sign that no sentence and no list has
// there.
func beginsMarkup(text string) bool {
	first, size := utf8.DecodeRuneInString(text)
	return len(text) > size && text[size] != ' ' && !unicode.IsLetter(first) && !unicode.IsDigit(first) && !strings.ContainsRune("-*#|\"'“(", first)
}
