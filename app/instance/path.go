package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxPath is how long a socket's path may be: the system's structure holds 104
// bytes on macOS and 108 on Linux and Windows, a final zero included.
const maxPath = 103

// The beginnings of the sockets' names.
const (
	appSocket = "app-"
	apiSocket = "api-"
)

// socketName is a socket's name, by the data folder's real place: one app a folder,
// also where that is reached through a symlink.
func socketName(kind, home string) (string, error) {
	abs, err := filepath.Abs(home)
	if err != nil {
		return "", fmt.Errorf("find the data folder: %w", err)
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real
	}
	sum := sha256.Sum256([]byte(abs))
	return kind + hex.EncodeToString(sum[:8]) + ".sock", nil
}

// findSocket is where the app's socket is, made or not. A runtime folder whose
// path is too long for a socket gives way to a short one of this user's among the
// temporary files.
func findSocket(kind, runtimeDir, home string) (string, error) {
	name, err := socketName(kind, home)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(runtimeDir, name))
	if err != nil {
		return "", fmt.Errorf("find the runtime folder: %w", err)
	}
	if len(path) <= maxPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(filepath.Dir(path)))
	path = filepath.Join(shortTemp(), "mac-stats-"+userID()+"-"+hex.EncodeToString(sum[:4]), name)
	if len(path) > maxPath {
		return "", fmt.Errorf("%s is too long a path for a socket (%d bytes, at most %d); set XDG_RUNTIME_DIR to a shorter folder", path, len(path), maxPath)
	}
	return path, nil
}

// APISocket is where the local API of the app for home listens, beside the app's own
// socket. Its folder is made.
func APISocket(runtimeDir, home string) (string, error) {
	return socketPath(apiSocket, runtimeDir, home)
}

// socketPath is findSocket with its folder made, 0700 and ours.
func socketPath(kind, runtimeDir, home string) (string, error) {
	path, err := findSocket(kind, runtimeDir, home)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(filepath.Dir(dir), dirPerm); err != nil {
		return "", fmt.Errorf("make the runtime folder: %w", err)
	}
	if err := os.Mkdir(dir, dirPerm); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the runtime folder: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("look at the runtime folder: %w", err)
	}
	if !info.IsDir() || !isOurs(info) {
		return "", fmt.Errorf("%s is not a folder of yours; remove it, or set XDG_RUNTIME_DIR to another", dir)
	}
	if err := os.Chmod(dir, dirPerm); err != nil {
		return "", fmt.Errorf("protect the runtime folder: %w", err)
	}
	return path, nil
}
