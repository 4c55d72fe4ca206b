//go:build darwin && !ci

// System callbacks that GLFW does not handle. Written from the documentation named at each
// function (developer.apple.com/documentation/…), checked by clang, and to be tried on a Mac
// with MACOS.md.

#import "cocoa_darwin.h"
#import "_cgo_export.h"
#import <Cocoa/Cocoa.h>
#import <UserNotifications/UserNotifications.h>
#import <objc/runtime.h>

// appkit/nsapplicationdelegate/applicationshouldterminate(_:): the end of the session,
// a restart and Cmd+Q. GLFW answers "cancel", which keeps people from logging out. With
// NSTerminateLater the app runs until replyToApplicationShouldTerminate:. Meanwhile the main
// thread runs its own loop, so the remaining work is done on another thread.
static NSApplicationTerminateReply shouldTerminate(id self, SEL selector, NSApplication *app) {
	goShouldTerminate();
	return NSTerminateLater;
}

// appkit/nsapplicationdelegate/applicationshouldhandlereopen(_:hasvisiblewindows:): the
// app is opened again in the Finder, in Spotlight or in the Dock. This is another way in if
// the icon is hidden behind the camera.
static BOOL shouldHandleReopen(id self, SEL selector, NSApplication *app, BOOL hasVisibleWindows) {
	goReopen();
	return NO;
}

// appkit/nsevent/addlocalmonitorforevents(matching:handler:) sees events before the
// window does, and appkit/nstextinputclient/hasmarkedtext() reports whether an input method
// is composing. GLFW reports a key before it asks the input method, so Return would send a
// half-composed text. While text is marked only the input method gets the keys.
static void watchComposing(void) {
	[NSEvent addLocalMonitorForEventsMatchingMask:NSEventMaskKeyDown
	                                      handler:^NSEvent *(NSEvent *event) {
		NSResponder *responder = [[event window] firstResponder];
		if (![responder conformsToProtocol:@protocol(NSTextInputClient)] || ![(id<NSTextInputClient>)responder hasMarkedText]) {
			return event;
		}
		[responder interpretKeyEvents:@[ event ]];
		return nil;
	}];
}

// usernotifications/unusernotificationcenterdelegate: a notification was clicked, or arrives
// while the app is in front.
@interface MacStatsNotifications : NSObject <UNUserNotificationCenterDelegate>
@end

@implementation MacStatsNotifications

- (void)userNotificationCenter:(UNUserNotificationCenter *)center
    didReceiveNotificationResponse:(UNNotificationResponse *)response
             withCompletionHandler:(void (^)(void))completionHandler {
	if ([response.actionIdentifier isEqualToString:UNNotificationDefaultActionIdentifier]) {
		goNotificationPressed(strtoull([response.notification.request.identifier UTF8String], NULL, 10));
	}
	completionHandler();
}

- (void)userNotificationCenter:(UNUserNotificationCenter *)center
       willPresentNotification:(UNNotification *)notification
         withCompletionHandler:(void (^)(UNNotificationPresentationOptions options))completionHandler {
	completionHandler(UNNotificationPresentationOptionBanner | UNNotificationPresentationOptionList);
}

@end

static MacStatsNotifications *notifications;

// usernotifications/unusernotificationcenter/current(): only an app in a bundle has one;
// otherwise the call ends the process.
static UNUserNotificationCenter *notificationCenter(void) {
	if ([[NSBundle mainBundle] bundleIdentifier] == nil) {
		return nil;
	}
	return [UNUserNotificationCenter currentNotificationCenter];
}

// objectivec/class_replacemethod(_:_:_:_:) replaces the methods of GLFW's delegate, which
// exists once GLFW has started.
void macStart(void) {
	Class delegate = [[NSApp delegate] class];
	class_replaceMethod(delegate, @selector(applicationShouldTerminate:), (IMP)shouldTerminate, "Q@:@");
	NSString *types = [NSString stringWithFormat:@"%s@:@%s", @encode(BOOL), @encode(BOOL)]; // BOOL differs between processors
	class_replaceMethod(delegate, @selector(applicationShouldHandleReopen:hasVisibleWindows:), (IMP)shouldHandleReopen, types.UTF8String);
	watchComposing();
	notifications = [[MacStatsNotifications alloc] init];
	[notificationCenter() setDelegate:notifications];
	macSetShown(0);
}

// appkit/nsapplication/reply(toapplicationshouldterminate:): ends the process.
void macReplyToTerminate(void) {
	dispatch_async(dispatch_get_main_queue(), ^{
		[NSApp replyToApplicationShouldTerminate:YES];
	});
}

// appkit/nsapplication/setactivationpolicy(_:): in the Dock and in the switcher only
// while a window is shown; LSUIElement in Info.plist isn't enough, because GLFW sets the
// regular policy when it starts. appkit/nsapplication/activate() exists since macOS 14;
// appkit/nswindow/orderfrontregardless() works also where another app has the user's
// attention. appkit/nsapplication/hide(_:) returns the keyboard focus to the previous app.
void macSetShown(int shown) {
	if (!shown) {
		[NSApp setActivationPolicy:NSApplicationActivationPolicyAccessory];
		[NSApp hide:nil];
		return;
	}
	[NSApp setActivationPolicy:NSApplicationActivationPolicyRegular];
	[NSApp unhideWithoutActivation];
	for (NSWindow *window in [NSApp windows]) {
		if ([window isVisible] && [window canBecomeKeyWindow]) {
			[window orderFrontRegardless];
		}
	}
	if (@available(macOS 14.0, *)) {
		[NSApp activate];
	} else {
		[NSApp activateIgnoringOtherApps:YES];
	}
}

// foundation/processinfo/beginactivity(options:reason:): without it, App Nap slows down the
// timers and the network of an app without windows while a model answers. The Mac may still
// go to sleep.
void macSetBusy(int busy) {
	static id<NSObject> activity;
	static NSLock *lock;
	static dispatch_once_t once;
	dispatch_once(&once, ^{
		lock = [[NSLock alloc] init];
	});
	[lock lock];
	if (busy && activity == nil) {
		activity = [[NSProcessInfo processInfo] beginActivityWithOptions:NSActivityUserInitiatedAllowingIdleSystemSleep
		                                                          reason:@"A model answers"];
	} else if (!busy && activity != nil) {
		[[NSProcessInfo processInfo] endActivity:activity];
		activity = nil;
	}
	[lock unlock];
}

// usernotifications/unusernotificationcenter/add(_:withcompletionhandler:). It returns 0
// outside a bundle. The first notification asks the user for permission; a request replaces
// an earlier one with the same identifier.
int macNotify(const char *title, const char *body, unsigned long long number) {
	UNUserNotificationCenter *center = notificationCenter();
	if (center == nil) {
		return 0;
	}
	UNMutableNotificationContent *content = [[UNMutableNotificationContent alloc] init];
	content.title = [NSString stringWithUTF8String:title];
	content.body = [NSString stringWithUTF8String:body];
	NSString *identifier = [NSString stringWithFormat:@"%llu", number];
	[center requestAuthorizationWithOptions:UNAuthorizationOptionAlert
	                      completionHandler:^(BOOL granted, NSError *error) {
		if (!granted) {
			return;
		}
		[center removeAllDeliveredNotifications];
		[center addNotificationRequest:[UNNotificationRequest requestWithIdentifier:identifier content:content trigger:nil]
		         withCompletionHandler:nil];
	}];
	return 1;
}

// usernotifications/unusernotificationcenter/removealldeliverednotifications()
void macRemoveNotifications(void) {
	[notificationCenter() removeAllDeliveredNotifications];
}
