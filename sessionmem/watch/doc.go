// Package watch reports when files that people edit change: which file, and how many lines
// were added and removed, however an editor saves.
// A Watcher listens to the system's notifications and also compares the folders from time to
// time, for changes that the system doesn't report. It waits for a save to end, follows links,
// and reports a file as gone only if it stays away. It keeps hashes of lines, never text, and
// changes nothing. The backend uses it to watch the data folder.
package watch
