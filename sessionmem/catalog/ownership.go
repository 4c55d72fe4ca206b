package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"mac-stats/sessionmem/transcript"
)

// A session is the file that the app created for it, with its parts. Any other file with the
// session's name is a copy (made by a person, a sync service or an editor, beside the original
// or left over from it) or an older transcript of the same name. Such files can be read, but
// are never written to or used as context.
//
// A copy is recognised by its name: it continues the name of another file of that session
// ("… copy", "…-backup"), or it continues the name the app gave, which the front matter
// contains, with a character that the app never uses in names ("… (1)", "….sync-conflict-…").
// A file that a person renamed stays the session as long as it is the only one: if its
// name no longer contains the session, its front matter decides.

// Set is one transcript with its parts, among the files of a session's name.
type Set struct {
	Files []Entry // oldest part first
	Copy  bool    // it isn't the session
}

// ownedBy sorts the files of one session's name: the parts of its transcript, oldest first,
// then what isn't the session. There may be no transcript, only copies. trash holds what was
// deleted.
func (c *Catalog) ownedBy(files []Entry, trash deletions) (parts []Entry, others []Set) {
	deleted := trash[files[0].Session]
	if len(files) == 1 && !files[0].MayBeCopy() && deleted == nil {
		return files, nil
	}
	sets := Sets(files)
	var named, claims []Set
	for _, set := range sets {
		set.Copy = set.Copy || c.isLeftover(set.Files[0], deleted)
		if set.Files[0].claimed {
			claims = append(claims, set)
		} else {
			named = append(named, set)
		}
	}
	if len(named) > 1 || len(named) == 1 && named[0].Files[0].MayBeCopy() {
		c.markCopies(named)
	}
	markClaims(named, claims)
	sets = slices.Concat(named, claims)
	for i, set := range sets {
		if !set.Copy {
			return set.Files, slices.Delete(sets, i, i+1)
		}
	}
	return nil, sets
}

// Sets groups files by transcript, the newest first. A file that exists twice, in the session
// folder and in the archive, makes two sets: the one in the session folder counts.
func Sets(files []Entry) []Set {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b Entry) int {
		return cmp.Or(b.Started().Compare(a.Started()), strings.Compare(a.Stem, b.Stem), cmp.Compare(a.Part, b.Part), strings.Compare(b.File, a.File))
	})
	var sets, twice []Set
	for i, e := range files {
		last := len(sets) - 1
		switch {
		case i == 0 || e.Stem != files[i-1].Stem || !e.Started().Equal(files[i-1].Started()):
			sets = append(sets, Set{Files: []Entry{e}})
		case e.Part == files[i-1].Part:
			twice = append(twice, Set{Files: []Entry{e}, Copy: true})
		default:
			sets[last].Files = append(sets[last].Files, e)
		}
	}
	return append(sets, twice...)
}

// markCopies marks the sets that are copies.
func (c *Catalog) markCopies(sets []Set) {
	fits := make([]nameFit, len(sets))
	fitting := map[string]bool{} // stamps of files that have the name the app gave
	for i := range sets {
		first := sets[i].Files[0]
		fits[i] = c.fileInfo(first).fit
		sets[i].Copy = sets[i].Copy || first.Copied || fits[i] == fitCopied || slices.ContainsFunc(sets, func(o Set) bool {
			of := o.Files[0]
			return of.Stamp == first.Stamp && len(of.Stem) < len(first.Stem) && strings.HasPrefix(first.Stem, of.Stem)
		})
		fitting[first.Stamp] = fitting[first.Stamp] || !sets[i].Copy && fits[i] == fitGiven
	}
	named := slices.ContainsFunc(sets, func(set Set) bool {
		return !set.Copy && c.fileInfo(set.Files[0]).fit != fitOther
	})
	for i := range sets {
		if sets[i].Copy {
			continue
		}
		sets[i].Copy = named && fits[i] == fitOther || fits[i] != fitGiven && fitting[sets[i].Files[0].Stamp]
	}
}

// nameFit is how a file's name compares with the one the app gave it, by its front matter.
type nameFit uint8

const (
	fitUnknown nameFit = iota // the front matter doesn't say, or the topic differs
	fitGiven                  // it has that name
	fitCopied                 // it continues that name with a character no name has
	fitOther                  // it belongs to another session or time
)

// fitOf compares a file's name with its front matter.
func fitOf(front string, p transcript.FileNameParts) nameFit {
	session := transcript.FrontValue(front, "session")
	started, err := time.Parse(time.RFC3339, transcript.FrontValue(front, "started"))
	switch {
	case p.Part > 1 || p.Stamp == "" || session == "" && err != nil:
		return fitUnknown
	case session != "" && session != p.Session, err == nil && started.Format(transcript.StampForm) != p.Stamp:
		return fitOther
	}
	given := transcript.TopicOf(transcript.FrontValue(front, "title"))
	name, sign := transcript.CutSign(p.Topic)
	switch {
	case p.Topic == given:
		return fitGiven
	case sign && name == given:
		return fitCopied
	}
	return fitUnknown
}
