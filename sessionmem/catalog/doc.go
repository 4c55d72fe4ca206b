// Package catalog knows which transcripts there are: in the session folder, its archive
// and its trash, whose they are, and what a list shows of each.
//
// Rules:
//   - It only reads; the one file it writes is the list cache, which may be deleted at any
//     time. It takes no lock of a session and knows nothing of what a process holds.
//   - A session is the file that the app made for it, with its parts. Whatever else has its
//     name is a copy or an older file: it is listed, and never taken for the session.
//   - Files are the truth: what is known of one holds as long as its stamp does.
//   - What was forgotten is in no line: Config.Clean cleans a session whose files hold it.
//   - Called by the session store, by moving sessions about and by forgetting.
package catalog
