//go:build linux && cgo && !ci && ((x11 && wayland) || (!x11 && !wayland))

package desktop

/*
#cgo pkg-config: wayland-client
#include <stdlib.h>
#include <string.h>
#include <wayland-client.h>

// The interface xdg_activation_v1 of wayland-protocols (staging/xdg-activation), as
// wayland-scanner writes it, without the unused parts.
static const struct wl_interface *activation_types[] = {NULL, &wl_surface_interface};
static const struct wl_message activation_requests[] = {
	{"destroy", "", NULL},
	{"get_activation_token", "n", activation_types},
	{"activate", "so", activation_types},
};
static const struct wl_interface activation_interface = {"xdg_activation_v1", 1, 3, activation_requests, 0, NULL};

enum { activation_destroy = 0, activation_activate = 2 };

static void activation_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
	if (strcmp(interface, activation_interface.name) == 0) {
		*(uint32_t *)data = name;
	}
}

static void activation_global_remove(void *data, struct wl_registry *registry, uint32_t name) {}

static const struct wl_registry_listener activation_listener = {activation_global, activation_global_remove};

// activate_surface asks the compositor to bring a surface to the front, with the token that
// it gave the requesting program. It returns 0 if the compositor doesn't support
// activation. It uses its own queue, so the window's events stay in theirs.
static int activate_surface(struct wl_display *display, struct wl_surface *surface, const char *token) {
	struct wl_event_queue *queue = wl_display_create_queue(display);
	struct wl_display *own = wl_proxy_create_wrapper(display);
	if (queue == NULL || own == NULL) {
		return 0;
	}
	wl_proxy_set_queue((struct wl_proxy *)own, queue);
	struct wl_registry *registry = wl_display_get_registry(own);
	uint32_t name = 0;
	wl_registry_add_listener(registry, &activation_listener, &name);
	wl_display_roundtrip_queue(display, queue);
	if (name != 0) {
		struct wl_proxy *activation = wl_registry_bind(registry, name, &activation_interface, 1);
		wl_proxy_marshal(activation, activation_activate, token, surface);
		wl_proxy_marshal(activation, activation_destroy);
		wl_proxy_destroy(activation);
		wl_display_flush(display);
	}
	wl_registry_destroy(registry);
	wl_proxy_wrapper_destroy(own);
	wl_event_queue_destroy(queue);
	return name != 0;
}
*/
import "C"

import (
	"unsafe"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver"
	"github.com/go-gl/glfw/v3.4/glfw"
)

// raise brings a window to the front on Wayland, where programs can't do so by themselves:
// with the requesting program's token or, without one, by showing the window again.
func raise(w fyne.Window, token string, covered bool) {
	native, ok := w.(driver.NativeWindow)
	if !ok {
		return
	}
	var surface uintptr
	native.RunNative(func(context any) {
		if c, ok := context.(driver.WaylandWindowContext); ok {
			surface = c.WaylandSurface
		}
	})
	if surface == 0 || glfw.GetPlatform() != glfw.PlatformWayland {
		return // elsewhere showing it has raised it
	}
	if token != "" {
		text := C.CString(token)
		defer C.free(unsafe.Pointer(text))
		display := (*C.struct_wl_display)(unsafe.Pointer(glfw.GetWaylandDisplay()))
		if C.activate_surface(display, *(**C.struct_wl_surface)(unsafe.Pointer(&surface)), text) != 0 {
			return
		}
	}
	if covered {
		w.Hide()
		w.Show()
	}
}
