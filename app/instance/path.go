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

// maxPath is the longest path of a socket: the system's structure holds 104 bytes on macOS
// and 108 on Linux and Windows, including a final zero.
const maxPath = 103

// The prefixes of socket names.
const (
	appSocket = "app-"
	apiSocket = "api-"
)

// socketName returns a socket's name, derived from the data folder's real path, so that a
// symlink to the folder leads to the same app.
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

// findSocket returns the path of a socket, existing or not. If the runtime folder's path is
// too long for a socket, it uses a short folder of this user below the temporary folder.
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

// APISocket returns the path of the local API's socket, beside the app's own, and creates
// its folder.
func APISocket(runtimeDir, home string) (string, error) {
	return socketPath(apiSocket, runtimeDir, home)
}

// socketPath is findSocket and creates the folder, with mode 0700 and owned by this user.
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
