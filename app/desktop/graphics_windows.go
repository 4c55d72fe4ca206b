package desktop

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// leastOpenGL is the OpenGL version that the window needs.
const leastOpenGL = 2

var (
	getDC             = user32.NewProc("GetDC")
	releaseDC         = user32.NewProc("ReleaseDC")
	messageBox        = user32.NewProc("MessageBoxW")
	gdi32             = windows.NewLazySystemDLL("gdi32.dll")
	choosePixelFormat = gdi32.NewProc("ChoosePixelFormat")
	setPixelFormat    = gdi32.NewProc("SetPixelFormat")
	opengl32          = windows.NewLazySystemDLL("opengl32.dll")
	wglCreateContext  = opengl32.NewProc("wglCreateContext")
	wglMakeCurrent    = opengl32.NewProc("wglMakeCurrent")
	wglDeleteContext  = opengl32.NewProc("wglDeleteContext")
	glGetString       = opengl32.NewProc("glGetString")
)

// checkGraphics tries to draw as the window will. If that failed later, Fyne would end the
// process silently.
func checkGraphics() error {
	version, err := openGLVersion()
	if err != nil {
		return fmt.Errorf("%w: Windows offers no OpenGL (%w). %s", ErrNoGraphics, err, graphicsAdvice)
	}
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < leastOpenGL {
		return fmt.Errorf("%w: the graphics driver offers OpenGL %s and the window needs %d.0. %s", ErrNoGraphics, version, leastOpenGL, graphicsAdvice)
	}
	return nil
}

const graphicsAdvice = "Install the driver of your graphics card; in a remote session or a virtual machine without one, " +
	"put an opengl32.dll of Mesa (llvmpipe) beside mac-stats.exe. Everything but the window works without: `mac-stats ask`, `mac-stats --headless`."

// openGLVersion creates a context on an invisible window and returns its version.
func openGLVersion() (string, error) {
	name := windows.StringToUTF16Ptr("STATIC")
	window, _, err := createWindow.Call(0, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(name)), 0, 0, 0, 1, 1, 0, 0, 0, 0)
	if window == 0 {
		return "", fmt.Errorf("make a window: %w", err)
	}
	defer func() { _, _, _ = destroyWindow.Call(window) }() // it is ours, on this thread
	dc, _, err := getDC.Call(window)
	if dc == 0 {
		return "", fmt.Errorf("draw in it: %w", err)
	}
	defer func() { _, _, _ = releaseDC.Call(window, dc) }()
	// PIXELFORMATDESCRIPTOR: 40 bytes, version 1, RGBA with 24 bits, for a window, with
	// OpenGL, double-buffered.
	format := [40]byte{0: 40, 2: 1, 4: 0x25, 9: 24}
	n, _, err := choosePixelFormat.Call(dc, uintptr(unsafe.Pointer(&format)))
	if n == 0 {
		return "", fmt.Errorf("choose a pixel format: %w", err)
	}
	if ok, _, err := setPixelFormat.Call(dc, n, uintptr(unsafe.Pointer(&format))); ok == 0 {
		return "", fmt.Errorf("set the pixel format: %w", err)
	}
	if err := opengl32.Load(); err != nil {
		return "", fmt.Errorf("load opengl32.dll: %w", err)
	}
	context, _, err := wglCreateContext.Call(dc)
	if context == 0 {
		return "", fmt.Errorf("make a context: %w", err)
	}
	defer func() { _, _, _ = wglDeleteContext.Call(context) }()
	if ok, _, err := wglMakeCurrent.Call(dc, context); ok == 0 {
		return "", fmt.Errorf("use the context: %w", err)
	}
	defer func() { _, _, _ = wglMakeCurrent.Call(0, 0) }()
	const glVersion = 0x1F02 // GL_VERSION
	text, _, _ := glGetString.Call(glVersion)
	if text == 0 {
		return "", fmt.Errorf("it tells no version")
	}
	return windows.BytePtrToString(*(**byte)(unsafe.Pointer(&text))), nil
}

// showError shows an error in a message box until it is dismissed, because no window can be
// shown.
func showError(text string) {
	const withErrorIcon = 0x10 // MB_ICONERROR
	_, _, _ = messageBox.Call(0, uintptr(unsafe.Pointer(utf16Text(text))), uintptr(unsafe.Pointer(utf16Text(appName))), withErrorIcon)
}

func utf16Text(text string) *uint16 {
	return windows.StringToUTF16Ptr(strings.ReplaceAll(text, "\x00", ""))
}
