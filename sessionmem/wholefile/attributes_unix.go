//go:build linux || darwin

package wholefile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the attribute with the access control list on Linux. macOS keeps its lists
// elsewhere, and they are not carried over.
const accessList = "system.posix_acl_access"

// keepAttributes gives f, which will replace the file at path, that file's extended attributes
// and no other list of rights. Where there is no file, f keeps what its folder gave it. An
// attribute that only the system may set is left to the system. listed reports that there is
// a list of rights.
func keepAttributes(f *os.File, path string) (listed bool, err error) {
	size, err := unix.Llistxattr(path, nil)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) {
		return false, nil
	}
	names := make([]byte, max(size, 0))
	if err == nil {
		size, err = unix.Llistxattr(path, names)
	}
	if err != nil {
		return false, fmt.Errorf("reading its attributes: %w", err)
	}
	to := int(f.Fd()) //nolint:gosec // a descriptor fits
	for name := range strings.SplitSeq(strings.Trim(string(names[:size]), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		listed = listed || name == accessList
		size, err := unix.Lgetxattr(path, name, nil)
		value := make([]byte, max(size, 0))
		if err == nil {
			size, err = unix.Lgetxattr(path, name, value)
		}
		if err == nil {
			err = unix.Fsetxattr(to, name, value[:size], 0)
		}
		if err != nil && (name == accessList || !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.EOPNOTSUPP)) {
			return listed, fmt.Errorf("keeping its attribute %s: %w", name, err)
		}
	}
	if !listed {
		_ = unix.Fremovexattr(to, accessList) // it has one only if the folder hands it on
	}
	return listed, nil
}
