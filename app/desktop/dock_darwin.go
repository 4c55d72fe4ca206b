//go:build darwin && cgo && !ci

package desktop

/*
#cgo CFLAGS: -x objective-c -fobjc-arc
#cgo LDFLAGS: -framework Cocoa
#import <Cocoa/Cocoa.h>

static void setPolicy(int regular) {
	dispatch_async(dispatch_get_main_queue(), ^{
		[NSApp setActivationPolicy:regular ? NSApplicationActivationPolicyRegular
		                                   : NSApplicationActivationPolicyAccessory];
		if (regular) {
			[NSApp activateIgnoringOtherApps:YES];
		}
	});
}
*/
import "C"

// setDockIcon shows the app in the Dock and in the switcher only while a window is
// open. LSUIElement in Info.plist isn't enough: GLFW sets the regular policy when it
// starts. Written from the documentation; not tried on a Mac.
func setDockIcon(shown bool) {
	regular := C.int(0)
	if shown {
		regular = 1
	}
	C.setPolicy(regular)
}
