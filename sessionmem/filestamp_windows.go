package sessionmem

import "os"

// inode is 0: a file's identity can't be told without opening it, and its time has
// steps of 100 ns.
func inode(os.FileInfo) uint64 { return 0 }

// linkCount is 1: how many there are can't be told without opening the file.
func linkCount(os.FileInfo) int { return 1 }

// stampIn: files are asked for by their path here.
func stampIn(*os.File, string) (stamp fileStamp, ok bool) { return fileStamp{}, false }
