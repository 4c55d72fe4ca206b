// Package watch tells when files that people edit change: which file, and how many lines
// were added and removed, whatever way an editor saves.
//
// A Watcher listens to the system and looks by itself from time to time, for what the
// system does not tell. It waits for a save to end, follows links, and reports a file
// that is gone only once it stays away. It keeps hashes of lines, never a text, and
// changes nothing. The backend watches the data folder with it.
package watch
