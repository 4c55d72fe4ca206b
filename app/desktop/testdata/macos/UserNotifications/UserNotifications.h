// Just what this project's Objective-C uses of UserNotifications, written from Apple's
// documentation, so that clang can check it on any system.
#pragma once
#import <Foundation/Foundation.h>
typedef enum : NSUInteger { UNNotificationPresentationOptionList = 1 << 3, UNNotificationPresentationOptionBanner = 1 << 4 } UNNotificationPresentationOptions;
typedef enum : NSUInteger { UNAuthorizationOptionAlert = 1 << 2 } UNAuthorizationOptions;
extern NSString *const UNNotificationDefaultActionIdentifier;
@class UNUserNotificationCenter, UNNotificationContent, UNNotificationTrigger;
@interface UNNotificationRequest : NSObject
@property(readonly) NSString *identifier;
+ (instancetype)requestWithIdentifier:(NSString *)identifier content:(UNNotificationContent *)content trigger:(UNNotificationTrigger *)trigger;
@end
@interface UNNotification : NSObject
@property(readonly) UNNotificationRequest *request;
@end
@interface UNNotificationResponse : NSObject
@property(readonly) UNNotification *notification;
@property(readonly) NSString *actionIdentifier;
@end
@protocol UNUserNotificationCenterDelegate <NSObject>
@optional
- (void)userNotificationCenter:(UNUserNotificationCenter *)center
    didReceiveNotificationResponse:(UNNotificationResponse *)response
             withCompletionHandler:(void (^)(void))completionHandler;
- (void)userNotificationCenter:(UNUserNotificationCenter *)center
       willPresentNotification:(UNNotification *)notification
         withCompletionHandler:(void (^)(UNNotificationPresentationOptions options))completionHandler;
@end
@interface UNNotificationContent : NSObject
@end
@interface UNMutableNotificationContent : UNNotificationContent
@property NSString *title;
@property NSString *body;
@end
@interface UNUserNotificationCenter : NSObject
@property id<UNUserNotificationCenterDelegate> delegate;
+ (UNUserNotificationCenter *)currentNotificationCenter;
- (void)requestAuthorizationWithOptions:(UNAuthorizationOptions)options completionHandler:(void (^)(BOOL granted, NSError *error))completionHandler;
- (void)addNotificationRequest:(UNNotificationRequest *)request withCompletionHandler:(void (^)(NSError *error))completionHandler;
- (void)removeAllDeliveredNotifications;
@end
