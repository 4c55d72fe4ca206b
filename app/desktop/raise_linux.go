//go:build linux && cgo && !ci && ((x11 && wayland) || (!x11 && !wayland))

package desktop

/*
#cgo pkg-config: wayland-client
#cgo LDFLAGS: -lX11
#include <stdlib.h>
#include <string.h>
#include <wayland-client.h>
#include <X11/Xlib.h>

// activate_window asks the window manager to bring a window to the front. Whoever raises it
// is a person who pressed a key, the icon or a notification, or started the app again, which
// a window manager can't know: as a pager's (2), the request is granted.
static void activate_window(Display *display, Window window) {
	XEvent event = {0};
	event.xclient.type = ClientMessage;
	event.xclient.window = window;
	event.xclient.message_type = XInternAtom(display, "_NET_ACTIVE_WINDOW", False);
	event.xclient.format = 32;
	event.xclient.data.l[0] = 2;
	event.xclient.data.l[1] = CurrentTime;
	XSendEvent(display, DefaultRootWindow(display), False, SubstructureRedirectMask | SubstructureNotifyMask, &event);
	XFlush(display);
}

// The interfaces of wayland-protocols (staging/xdg-activation), as wayland-scanner writes
// them, without the unused parts.
static const struct wl_interface *serial_types[] = {NULL, &wl_seat_interface};
static const struct wl_interface *surface_type[] = {&wl_surface_interface};
static const struct wl_interface *no_types[] = {NULL};
static const struct wl_message token_requests[] = {
	{"set_serial", "uo", serial_types},
	{"set_app_id", "s", no_types},
	{"set_surface", "o", surface_type},
	{"commit", "", NULL},
	{"destroy", "", NULL},
};
static const struct wl_message token_events[] = {{"done", "s", no_types}};
static const struct wl_interface token_interface = {"xdg_activation_token_v1", 1, 5, token_requests, 1, token_events};
static const struct wl_interface *new_token_types[] = {&token_interface};
static const struct wl_interface *activate_types[] = {NULL, &wl_surface_interface};
static const struct wl_message activation_requests[] = {
	{"destroy", "", NULL},
	{"get_activation_token", "n", new_token_types},
	{"activate", "so", activate_types},
};
static const struct wl_interface activation_interface = {"xdg_activation_v1", 1, 3, activation_requests, 0, NULL};

enum { activation_destroy = 0, activation_token = 1, activation_activate = 2 };
enum { token_set_surface = 2, token_commit = 3, token_destroy = 4 };

static void token_done(void *data, struct wl_proxy *proxy, const char *token) { *(char **)data = strdup(token); }

static void activation_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
	if (strcmp(interface, activation_interface.name) == 0) {
		*(uint32_t *)data = name;
	}
}

static void activation_global_remove(void *data, struct wl_registry *registry, uint32_t name) {}

static const struct wl_registry_listener activation_listener = {activation_global, activation_global_remove};

// activate_surface asks the compositor to bring a surface to the front, with the token that
// it gave the requesting program or, if that is NULL, with one that it gives us. It uses its
// own queue, so the window's events stay in theirs.
static void activate_surface(struct wl_display *display, struct wl_surface *surface, const char *token) {
	struct wl_event_queue *queue = wl_display_create_queue(display);
	struct wl_display *own = wl_proxy_create_wrapper(display);
	if (queue == NULL || own == NULL) {
		return;
	}
	wl_proxy_set_queue((struct wl_proxy *)own, queue);
	struct wl_registry *registry = wl_display_get_registry(own);
	uint32_t name = 0;
	wl_registry_add_listener(registry, &activation_listener, &name);
	wl_display_roundtrip_queue(display, queue);
	if (name != 0) {
		struct wl_proxy *activation = wl_registry_bind(registry, name, &activation_interface, 1);
		char *own_token = NULL;
		if (token == NULL) {
			struct wl_proxy *request = wl_proxy_marshal_constructor(activation, activation_token, &token_interface, NULL);
			void (*listener[])(void) = {(void (*)(void))token_done};
			wl_proxy_add_listener(request, listener, &own_token);
			wl_proxy_marshal(request, token_set_surface, surface);
			wl_proxy_marshal(request, token_commit);
			wl_display_roundtrip_queue(display, queue);
			wl_proxy_marshal(request, token_destroy);
			wl_proxy_destroy(request);
			token = own_token;
		}
		if (token != NULL) {
			wl_proxy_marshal(activation, activation_activate, token, surface);
		}
		free(own_token);
		wl_proxy_marshal(activation, activation_destroy);
		wl_proxy_destroy(activation);
		wl_display_flush(display);
	}
	wl_registry_destroy(registry);
	wl_proxy_wrapper_destroy(own);
	wl_event_queue_destroy(queue);
}
*/
import "C"

import (
	"unsafe"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"
	"github.com/go-gl/glfw/v3.4/glfw"
)

// raise brings a window to the front. On Wayland programs can't do so by themselves: the
// compositor decides, and may only mark the window. The window isn't hidden and shown for
// it, which leaves it empty on GNOME.
func raise(w fyne.Window, token string, covered bool) {
	native, ok := w.(driver.NativeWindow)
	if !ok {
		return
	}
	native.RunNative(func(context any) {
		switch c := context.(type) {
		case driver.X11WindowContext:
			if c.WindowHandle != 0 && glfw.GetPlatform() == glfw.PlatformX11 {
				C.activate_window((*C.Display)(unsafe.Pointer(glfw.GetX11Display())), C.Window(c.WindowHandle))
			}
		case driver.WaylandWindowContext:
			var text *C.char // asks for a token of our own
			if token != "" {
				text = C.CString(token)
				defer C.free(unsafe.Pointer(text))
			}
			if c.WaylandSurface == 0 || token == "" && !covered { // a new window comes to the front
				return
			}
			display := (*C.struct_wl_display)(unsafe.Pointer(glfw.GetWaylandDisplay()))
			C.activate_surface(display, *(**C.struct_wl_surface)(unsafe.Pointer(&c.WaylandSurface)), text)
		}
	})
}

// frame is the height of a title bar and a border, in pixels.
const frame = 48

// fit makes a window smaller that is larger than the room on every screen, as one is whose
// size was kept at another zoom. Window managers leave it as large as it wants to be.
func fit(w fyne.Window) {
	if glfw.GetPlatform() != glfw.PlatformX11 {
		return // sizes have other units
	}
	var room fyne.Size // in pixels
	for _, m := range glfw.GetMonitors() {
		_, _, width, height := m.GetWorkarea()
		room = room.Max(fyne.NewSize(float32(width), float32(height)-frame))
	}
	size, scale := w.Canvas().Size(), w.Canvas().Scale()
	if room = fyne.NewSize(room.Width/scale, room.Height/scale); size.Width > room.Width || size.Height > room.Height {
		w.Resize(size.Min(room))
	}
}
