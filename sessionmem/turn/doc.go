// Package turn controls who may answer in a session: one holder at a time.
//
// Rules:
//   - A channel orders the goroutines of this process, a lock file orders the processes. The
//     lock of a process that died is free.
//   - A second file names the holder for those who wait. The lock works without it.
//   - It knows nothing of what is in a session.
//   - Called by package session.
package turn
