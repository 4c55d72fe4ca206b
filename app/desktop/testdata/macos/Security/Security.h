// Just what this project's Objective-C uses of Security and Core Foundation, written from
// Apple's documentation, so that clang can check it on any system.
#pragma once
#import <Foundation/Foundation.h>
typedef const void *CFTypeRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef const struct __CFString *CFStringRef;
typedef struct __SecCode *SecCodeRef;
typedef int OSStatus;
enum { errSecSuccess = 0, kSecCSDefaultFlags = 0, kSecCSSigningInformation = 1 << 1 };
extern const CFStringRef kSecCodeInfoTeamIdentifier;
OSStatus SecCodeCopySelf(unsigned flags, SecCodeRef *self);
OSStatus SecCodeCopySigningInformation(SecCodeRef code, unsigned flags, CFDictionaryRef *information);
BOOL CFDictionaryContainsKey(CFDictionaryRef dictionary, const void *key);
void CFRelease(CFTypeRef object);
