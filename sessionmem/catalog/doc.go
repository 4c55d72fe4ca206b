// Package catalog finds transcripts in the session folder, its archive and its trash, and knows
// which session each belongs to and what a list shows of it.
//
// Rules:
//   - It only reads. The one file it writes is the list cache, which may be deleted at any
//     time. It takes no session's lock and doesn't know what a process holds in memory.
//   - A session is the file that the app created for it, with its parts. Any other file of its
//     name is a copy or an older file: it is listed but never taken for the session.
//   - Files are the truth: what is known of a file is valid as long as its stamp is unchanged.
//   - No entry contains what was forgotten: if a file of a session does, Config.Clean cleans
//     the session first.
//   - Called by the session store, and by what moves sessions or forgets in them.
package catalog
