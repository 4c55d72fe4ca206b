// Just what this project's Objective-C uses of ServiceManagement, written from Apple's
// documentation, so that clang can check it on any system.
#pragma once
#import <Foundation/Foundation.h>
typedef enum : NSInteger { SMAppServiceStatusEnabled = 1 } SMAppServiceStatus;
__attribute__((availability(macos, introduced = 13.0)))
@interface SMAppService : NSObject
@property(class, readonly) SMAppService *mainAppService;
@property(readonly) SMAppServiceStatus status;
- (BOOL)registerAndReturnError:(NSError **)error;
- (BOOL)unregisterAndReturnError:(NSError **)error;
@end
