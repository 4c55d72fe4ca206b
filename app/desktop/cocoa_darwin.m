//go:build darwin && !ci

// What the system asks of an app and GLFW does not answer. Written from the
// documentation that each function names (developer.apple.com/documentation/…), checked
// by clang here and walked through on a Mac by MACOS.md.

#import "cocoa_darwin.h"
#import "_cgo_export.h"
#import <Cocoa/Cocoa.h>
#import <UserNotifications/UserNotifications.h>
#import <objc/runtime.h>

// appkit/nsapplicationdelegate/applicationshouldterminate(_:): the end of the session,
// a restart and Cmd+Q. GLFW answers "cancel", which keeps people from logging out. With
// NSTerminateLater the app is kept until replyToApplicationShouldTerminate:, while the
// main thread runs a loop of its own: what is left to do is done on another thread.
static NSApplicationTerminateReply shouldTerminate(id self, SEL selector, NSApplication *app) {
	goShouldTerminate();
	return NSTerminateLater;
}

// appkit/nsapplicationdelegate/applicationshouldhandlereopen(_:hasvisiblewindows:): the
// app is opened again in the Finder, in Spotlight or in the Dock. The icon may be hidden
// behind the camera: this is another way in.
static BOOL shouldHandleReopen(id self, SEL selector, NSApplication *app, BOOL hasVisibleWindows) {
	goReopen();
	return NO;
}

// appkit/nsevent/addlocalmonitorforevents(matching:handler:) sees events before the
// window does, and appkit/nstextinputclient/hasmarkedtext() tells whether an input method
// composes. GLFW tells of a key first and asks the input method after: Return would send
// what is half composed. While text is marked the input method alone gets the keys.
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

// usernotifications/unusernotificationcenterdelegate: a notification was pressed, or
// comes while the app is in front.
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
// asked for without, the process ends.
static UNUserNotificationCenter *notificationCenter(void) {
	if ([[NSBundle mainBundle] bundleIdentifier] == nil) {
		return nil;
	}
	return [UNUserNotificationCenter currentNotificationCenter];
}

// objectivec/class_replacemethod(_:_:_:_:) gives GLFW's delegate our answers; it is there
// once GLFW was started.
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
// regular policy when it starts. appkit/nsapplication/activate() is of macOS 14;
// appkit/nswindow/orderfrontregardless() works also where another app has the user's
// attention. appkit/nsapplication/hide(_:) gives the keyboard back to the app before.
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

// foundation/processinfo/beginactivity(options:reason:): without, App Nap slows down the
// timers and the network of an app without windows while a model answers. The Mac may
// still go to sleep.
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

// usernotifications/unusernotificationcenter/add(_:withcompletionhandler:). It reports 0
// where there is no bundle to show one for. The first one asks the user for permission;
// a request with the identifier of another takes its place.
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
