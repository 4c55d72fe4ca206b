package wholefile

import "os"

// Inode is 0: a file's identity can't be told without opening it, and its time has
// steps of 100 ns.
func Inode(os.FileInfo) uint64 { return 0 }

// LinkCount is 1: how many there are can't be told without opening the file.
func LinkCount(os.FileInfo) int { return 1 }

// StampIn: files are asked for by their path here.
func StampIn(*os.File, string) (stamp Stamp, ok bool) { return Stamp{}, false }
