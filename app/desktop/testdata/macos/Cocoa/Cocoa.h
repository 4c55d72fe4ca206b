// Just what this project's Objective-C uses of AppKit, written from Apple's
// documentation, so that clang can check it on any system.
#pragma once
#import <Foundation/Foundation.h>
@class NSApplication, NSEvent, NSWindow;
typedef enum : NSUInteger { NSTerminateCancel = 0, NSTerminateNow = 1, NSTerminateLater = 2 } NSApplicationTerminateReply;
typedef enum : NSInteger { NSApplicationActivationPolicyRegular, NSApplicationActivationPolicyAccessory } NSApplicationActivationPolicy;
typedef enum : unsigned long long { NSEventMaskKeyDown = 1ULL << 10 } NSEventMask;
@protocol NSApplicationDelegate <NSObject>
@optional
- (NSApplicationTerminateReply)applicationShouldTerminate:(NSApplication *)sender;
- (BOOL)applicationShouldHandleReopen:(NSApplication *)sender hasVisibleWindows:(BOOL)flag;
@end
@protocol NSTextInputClient
- (BOOL)hasMarkedText;
@end
@interface NSResponder : NSObject
- (void)interpretKeyEvents:(NSArray<NSEvent *> *)events;
@end
@interface NSWindow : NSResponder
@property(readonly) NSResponder *firstResponder;
@property(readonly, getter=isVisible) BOOL visible;
@property(readonly) BOOL canBecomeKeyWindow;
- (void)orderFrontRegardless;
@end
@interface NSEvent : NSObject
@property(readonly) NSWindow *window;
+ (id)addLocalMonitorForEventsMatchingMask:(NSEventMask)mask handler:(NSEvent * (^)(NSEvent *event))block;
@end
@interface NSApplication : NSResponder
@property id<NSApplicationDelegate> delegate;
@property(readonly) NSArray<NSWindow *> *windows;
- (void)replyToApplicationShouldTerminate:(BOOL)shouldTerminate;
- (BOOL)setActivationPolicy:(NSApplicationActivationPolicy)policy;
- (void)hide:(id)sender;
- (void)unhideWithoutActivation;
- (void)activate __attribute__((availability(macos, introduced = 14.0)));
- (void)activateIgnoringOtherApps:(BOOL)flag;
@end
extern NSApplication *NSApp;
