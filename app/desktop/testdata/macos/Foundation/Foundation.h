// Just what this project's Objective-C uses of Foundation, written from Apple's
// documentation, so that clang can check it on any system.
#pragma once
#include <stddef.h>
typedef _Bool BOOL;
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define nil ((id)0)
typedef struct objc_class *Class;
typedef struct objc_object { Class isa; } *id;
typedef struct objc_selector *SEL;
typedef id (*IMP)(id, SEL, ...);
typedef unsigned long NSUInteger;
typedef long NSInteger;
unsigned long long strtoull(const char *text, char **end, int base);
void free(void *memory);

@class NSString, NSArray, NSError, Protocol, NSURL;
@protocol NSObject
- (BOOL)conformsToProtocol:(Protocol *)protocol;
- (Class)class;
@end
@interface NSObject <NSObject>
+ (instancetype)alloc;
- (instancetype)init;
@end
@interface NSString : NSObject
+ (instancetype)stringWithUTF8String:(const char *)text;
+ (instancetype)stringWithFormat:(NSString *)format, ...;
- (BOOL)isEqualToString:(NSString *)other;
- (BOOL)hasSuffix:(NSString *)suffix;
@property(readonly) const char *UTF8String;
@end
@interface NSConstantString : NSString
@end
typedef struct { unsigned long state; id __unsafe_unretained *itemsPtr; unsigned long *mutationsPtr; unsigned long extra[5]; } NSFastEnumerationState;
@interface NSArray<ObjectType> : NSObject
+ (instancetype)arrayWithObjects:(const ObjectType[])objects count:(NSUInteger)count;
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state objects:(id __unsafe_unretained[])buffer count:(NSUInteger)count;
@end
@interface NSDictionary : NSObject
- (id)objectForKeyedSubscript:(id)key;
@end
@interface NSError : NSObject
@property(readonly) NSString *localizedDescription;
@end
@interface NSLock : NSObject
- (void)lock;
- (void)unlock;
@end
@interface NSURL : NSObject
@end
@interface NSBundle : NSObject
@property(class, readonly) NSBundle *mainBundle;
@property(readonly) NSString *bundleIdentifier;
@property(readonly) NSString *bundlePath;
@property(readonly) NSURL *bundleURL;
@end
typedef unsigned long long NSActivityOptions;
static const NSActivityOptions NSActivityUserInitiatedAllowingIdleSystemSleep = 0x00FFFFFFULL & ~(1ULL << 20);
@interface NSProcessInfo : NSObject
@property(class, readonly) NSProcessInfo *processInfo;
- (id<NSObject>)beginActivityWithOptions:(NSActivityOptions)options reason:(NSString *)reason;
- (void)endActivity:(id<NSObject>)activity;
@end

// libdispatch
typedef void (^dispatch_block_t)(void);
typedef long dispatch_once_t;
@class OS_dispatch_queue;
typedef OS_dispatch_queue *dispatch_queue_t;
dispatch_queue_t dispatch_get_main_queue(void);
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_once(dispatch_once_t *once, dispatch_block_t block);
