package sessionmem

import "mac-stats/sessionmem/transcript"

// inMemory gives the sessions that are in memory alone: private ones, and those
// that the disk refused from their first block on.
func (s *Store) inMemory() []transcript.Info {
	s.mu.Lock()
	var all []*session
	for _, ses := range s.sessions {
		all = append(all, ses)
	}
	s.mu.Unlock()
	var infos []transcript.Info
	for _, ses := range all {
		if !ses.private.Load() && s.onRefused == nil {
			continue
		}
		ses.mu.Lock()
		switch {
		case len(ses.mem) > 0:
			infos = append(infos, ses.memInfo())
		case ses.file == "" && len(ses.unsaved.blocks) > 0:
			infos = append(infos, ses.withUnsaved(nil).Info)
		}
		ses.mu.Unlock()
	}
	return infos
}

// memInfo is the Info of an in-memory session.
func (ses *session) memInfo() transcript.Info {
	var sum transcript.Overview
	for _, b := range ses.mem {
		sum.Add(b)
	}
	info := sum.Info("")
	info.Name = ses.name
	info.Source, info.ID = transcript.SplitName(ses.name)
	return info
}
