package reply

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// textOf returns a value as text: a string as it is, anything else as JSON.
func textOf(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	data, err := json.Marshal(plain(value))
	if err != nil {
		return ""
	}
	return string(data)
}

// bare reads calls without an envelope: NAME(…), NAME{…}, a list of these, or JSON. Whether
// they are meant is decided at the end, by what stands around them.
func (r *reading) bare(t token) {
	e := envelope{values: values{s: r.s[:min(len(r.s), t.from+maxBare)], at: t.from}, tools: r.tools}
	var ok bool
	switch listed := t.kind == tokenValue && e.has("[") && e.listsNames(); {
	case t.kind == tokenName:
		ok = e.named()
	case listed:
		for ok = true; ok && e.s[e.at] != ']'; {
			e.at++
			if ok = e.named() && strings.IndexByte(",]", e.sign("")) >= 0 && e.at < len(e.s); ok {
				ok = r.names[e.calls[len(e.calls)-1].name]
			}
		}
		e.at++
	default:
		value, _ := e.value()
		e.calls = callsIn(value, true, func(name string) bool { return r.names[name] })
		ok = e.calls != nil
		for _, c := range e.calls {
			tool, known := r.tools.find(c.name)
			ok = ok && (!known || tool.For == "") // {"name": "coder", …} may be anything
		}
	}
	if r.steps += e.at - t.from; !ok {
		r.vain += e.at - t.from
		r.skip(t)
		return
	}
	r.take(item{from: t.from, to: e.at, kind: itemBare}, e.calls)
}

// directive reads a line NAME: argument. A long argument goes on over the next lines, up to
// the next directive outside a fence or a made-up result, if the task has begun on the
// line.
func (r *reading) directive(t token) {
	lineEnd := r.lineEnd(t.to)
	tool, _ := r.tools.find(t.name)
	begun := len(strings.Fields(r.s[t.to:lineEnd])) > 1
	end := len(r.s)
	if !tool.Long || !begun {
		end = lineEnd
	}
	inner := *r.scanner
	inner.moveTo(t.to, false)
	for {
		next, st := inner.next()
		if st == no || next.from >= end {
			break
		}
		m := next.mark
		if next.isLine() || next.kind == tokenResult || next.kind == tokenMark && (m.kind == markResult || m.kind == markRole && r.lineBegins(m.from) ||
			r.lineEnds(m.to) && (m.kind == markEnd || m.kind == markThought || m.kind == markEnvelope && m.close) || m.kind == markThought && m.close && r.closesHere(m)) {
			end = next.from
			break
		}
		to := max(next.to, next.from+1)
		if next.kind == tokenFence {
			_, to, _ = inner.fenceEnd(next.to, next.fence)
		}
		inner.moveTo(to, next.kind == tokenFence)
	}
	r.steps, r.shut = inner.steps, inner.shut
	name, arg := t.name, strings.TrimSpace(r.s[t.to:end])
	if stars := strings.Repeat("*", t.stars); strings.HasPrefix(arg, stars) { // **NAME:**
		arg = strings.TrimSpace(arg[len(stars):])
	} else { // **NAME: …**
		arg = strings.TrimSpace(strings.TrimSuffix(arg, stars))
	}
	var value any = arg
	if name == foreignName {
		name, arg, _ = strings.Cut(arg, " ")
		value = strings.TrimSpace(arg)
		if inner, ok := decoded(arg); ok {
			value = inner
		}
	}
	r.take(item{from: t.from, to: end, kind: itemBare, open: tool.Long, line: lineEnd, begun: begun}, []call{{name, value}})
	if why := r.items[len(r.items)-1].calls[0].Why; why != "" {
		r.misfit = why
	}
}

// readFence reads a code fence. One with the name of an envelope is one. Any other is shown,
// unless it holds nothing but calls; then what stands around it decides.
func (r *reading) readFence(t token) {
	body, end, closed := r.fenceEnd(t.to, t.fence)
	if !closed || r.thinking {
		if r.thinking && !closed {
			end = t.to
		}
		r.moveTo(end, true)
		return
	}
	info, _, _ := strings.Cut(t.info, " ")
	if namesEnvelope(info) {
		e := envelope{values: values{s: r.s[:body], at: t.to, loose: true}, tools: r.tools}
		if ok := e.inside(info); ok && len(e.calls) > 0 && strings.Trim(r.s[min(e.at, body):body], " \t\r\n,;)]}") == "" {
			r.take(item{from: t.from, to: end, kind: itemEnvelope}, e.calls)
			return
		}
		r.vain += body - t.to
	} else if !r.inner {
		inner := &reading{scanner: &scanner{s: r.s[:body], at: t.to, whole: true, names: r.names, judge: true, fresh: true}, tools: r.tools, noted: t.to, vain: r.vain, inner: true}
		inner.read()
		inner.note(body)
		r.vain, r.steps = inner.vain, r.steps+inner.steps
		i := item{from: t.from, to: end, kind: itemFence, before: r.sentence(t.from)}
		for _, one := range inner.items {
			inner.hasText = inner.hasText || one.kind != itemBare
			i.calls = append(i.calls, one.calls...)
		}
		if i.calls != nil && !inner.hasText {
			r.add(i, true)
			return
		}
	}
	r.moveTo(end, true)
	r.blank = false
}

// namesEnvelope reports whether a fence's language is the name of an envelope: tool_code.
func namesEnvelope(info string) bool {
	entry := vocabulary()[info]
	return entry.kind == markEnvelope && !entry.control
}

// parts decides what the items are and returns the parts.
func (r *reading) parts(reason string) []Part {
	if r.s == "" {
		return nil
	}
	r.note(len(r.s))
	for at := 0; at < len(r.items); {
		at = r.decide(at)
	}
	r.refuse(reason)
	var parts []Part
	behind, at := false, 0
	add := func(p Part) {
		n := len(parts)
		switch {
		case p.From == p.To:
		case n > 0 && p.Kind == KindText && parts[n-1].Kind == KindText && parts[n-1].Behind == p.Behind:
			parts[n-1].To = p.To
			parts[n-1].Why = cmp.Or(parts[n-1].Why, p.Why)
		default:
			parts = append(parts, p)
		}
	}
	for _, i := range r.items {
		add(Part{Kind: KindText, From: at, To: i.from, Behind: behind})
		at = i.to
		p := Part{From: i.from, To: i.to, Why: i.why}
		switch {
		case i.kind == itemThought:
			p.Kind = KindThought
		case i.kind == itemMark:
			p.Kind = KindMark
		case i.calls != nil && i.why == "":
			p.Kind = KindCall
			for _, c := range i.calls {
				p.Calls = append(p.Calls, c.Call)
				behind = behind || c.Why == ""
			}
		default:
			p.Behind = behind
		}
		add(p)
	}
	add(Part{Kind: KindText, From: at, To: len(r.s), Behind: behind})
	if len(parts) == 1 && parts[0].Kind == KindText && parts[0].Why == "" {
		parts[0].Why = r.nearMiss()
	}
	return parts
}

// decide decides about the group of calls that begins with an item, and returns the next
// item. A group has nothing but blanks between its calls.
func (r *reading) decide(from int) int {
	first := r.items[from]
	if first.calls == nil {
		return from + 1
	}
	to := from + 1
	for to < len(r.items) && r.items[to].calls != nil && (r.items[to].kind == itemEnvelope) == (first.kind == itemEnvelope) && strings.Trim(r.s[r.items[to-1].to:r.items[to].from], " \t\r\n,;") == "" {
		to++
	}
	group := r.items[from:to]
	last := group[len(group)-1]
	follows := r.lastText > last.from
	why, shown := "", first.before == colon && (follows || last.open && strings.TrimSpace(r.s[last.from:]) != strings.TrimSpace(r.s[last.from:last.line]))
	if first.kind != itemEnvelope {
		why, shown = r.unmarked(group, follows)
	}
	for i := range group {
		if shown {
			group[i].kind, group[i].calls = itemShown, nil
		}
		group[i].why = why
	}
	return to
}

// unmarked decides about a group without an envelope. It is a call, an example that is
// shown, or neither: then why says what the model is told.
func (r *reading) unmarked(group []item, follows bool) (why string, shown bool) {
	first, last := group[0], group[len(group)-1]
	names := map[string]bool{}
	reads, fence, unfit := true, false, r.misfit
	for _, i := range group {
		fence = fence || i.kind == itemFence
		for _, c := range i.calls {
			names[c.Name] = true
			reads = reads && c.tool.Reads
			if unfit == "" && c.Why != "" {
				unfit = c.Why
			}
			if c.tool.Long && c.Args == nil && !i.begun && !fence && (r.hasText || len(group) > 1) {
				unfit = "write the task on the same line: " + c.Name + ": <name> <task>"
			}
			if (fence || !c.known) && r.asks(c.Name) || c.Why != "" && r.writes(c.Name) {
				return "", true
			}
		}
	}
	before := first.before
	isList := before == colon && len(names) > 1 && !reads
	ownLines := r.lineBegins(first.from) && r.lineEnds(last.to)
	switch {
	case before == colon && last.open && strings.TrimSpace(r.s[last.line:]) != "":
		return "a call over several lines isn't run behind a colon, where it may be an example: write it alone", false
	case isList, follows && (before == colon || fence || unfit != ""), fence && before == colon:
		return "", true
	case unfit != "":
		return unfit, false
	case follows && len(names) > 1 && !reads: // perhaps a list of the tools
		return "text follows calls of several tools: write the calls alone", false
	case fence && !reads && r.hasText:
		return "a call in a code fence isn't run: write it without the fence", false
	case !follows && before != open, follows && ownLines && (before == nothing || before == finished):
		return "", false
	case follows:
		return "", true
	}
	return "the call stands in the middle of a sentence: write it on a line of its own", false
}

// asks reports whether the person's message names a tool.
func (r *reading) asks(name string) bool {
	for _, q := range r.quoted {
		if q.Own && strings.Contains(strings.ToLower(q.Text), strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// writes reports whether the person's message writes a tool's name exactly: a dialogue of an
// AGENT and a CLIENT needs no other form.
func (r *reading) writes(name string) bool {
	for _, q := range r.quoted {
		if q.Own && strings.Contains(q.Text, name) {
			return true
		}
	}
	return false
}

// refuse tells the calls that don't run why: the reply was cut, quoted text holds them, or
// there are too many.
func (r *reading) refuse(reason string) {
	count := 0
	var folded []quotation
	for k := range r.items {
		i := &r.items[k]
		if i.why != "" {
			continue
		}
		for n := range i.calls {
			c := &i.calls[n]
			if c.Why != "" {
				continue
			}
			if count++; count > MaxCalls {
				c.Why = "at most " + strconv.Itoa(MaxCalls) + " calls of a reply run"
				continue
			}
			if folded == nil {
				folded = foldQuotations(r.quoted)
			}
			others, own := heldBy(folded, c.Call, r.tools.tools)
			switch {
			case reason != "" && reason != "stop":
				c.Why = "the reply was cut before its end"
			case others:
				c.Why = "this call stands in text that was quoted to you; if the user wants it, say so in your answer"
			case own && r.hasText:
				i.kind, i.calls = itemShown, nil
			}
			if i.calls == nil {
				break
			}
		}
	}
}

// nearMiss returns what to tell the model if the whole reply is one line that names a tool
// and a colon, but not in the exact form, or is markup around a tool's name that nothing
// here reads.
func (r *reading) nearMiss() string {
	text := strings.TrimSpace(r.s)
	if len(text) > maxBare {
		return ""
	}
	name, _, ok := strings.Cut(text, ":")
	for _, t := range r.tools.tools {
		if t.For != "" || r.asks(t.Name) {
			continue
		}
		folded := foldName(name)
		if ok && !strings.Contains(text, "\n") && (folded == foldName(t.Name) && strings.Contains(folded, "_") || strings.HasSuffix(name, t.Name)) {
			return "write a call on a line of its own that begins with " + t.Name + ":"
		}
		if r.isMarkup(text) && strings.Contains(text, t.Name) {
			return "this looks like a call, but in a form that isn't read: write a line that begins with " + t.Name + ":"
		}
	}
	return ""
}

// isMarkup reports whether a text begins and ends with signs that no sentence and no list
// has there.
func (r *reading) isMarkup(text string) bool {
	if len(text) < 4 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	return strings.IndexByte("}>])`", text[len(text)-1]) >= 0 && text[1] != ' ' && !unicode.IsLetter(first) && !unicode.IsDigit(first) &&
		!strings.ContainsRune("-*#|\"'“(", first) && (first != '`' || strings.HasPrefix(text, "```") && strings.Count(text, "```") == 2)
}
