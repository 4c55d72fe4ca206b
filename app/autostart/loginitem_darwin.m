//go:build darwin && !ci

// Written from the documentation that each function names
// (developer.apple.com/documentation/…), checked by clang here and walked through on a
// Mac by app/desktop/MACOS.md.

#import "loginitem_darwin.h"
#import <Foundation/Foundation.h>
#import <Security/Security.h>
#import <ServiceManagement/ServiceManagement.h>
#include <string.h>

// security/seccodecopysigninginformation(_:_:_:): an app that was signed with a Developer
// ID has a team. The system keeps a login item for such an app alone across updates.
static BOOL hasTeam(void) {
	SecCodeRef code = NULL;
	CFDictionaryRef information = NULL;
	BOOL found = NO;
	if (SecCodeCopySelf(kSecCSDefaultFlags, &code) == errSecSuccess) {
		if (SecCodeCopySigningInformation(code, kSecCSSigningInformation, &information) == errSecSuccess) {
			found = CFDictionaryContainsKey(information, kSecCodeInfoTeamIdentifier);
			CFRelease(information);
		}
		CFRelease(code);
	}
	return found;
}

int loginItemUsable(void) {
	if (@available(macOS 13.0, *)) {
		return [[[NSBundle mainBundle] bundlePath] hasSuffix:@".app"] && hasTeam();
	}
	return 0;
}

// servicemanagement/smappservice/status-swift.property
int loginItemOn(void) {
	if (@available(macOS 13.0, *)) {
		return [[SMAppService mainAppService] status] == SMAppServiceStatusEnabled;
	}
	return 0;
}

// servicemanagement/smappservice/register() and unregister(). It gives NULL, or why it
// failed, which the caller frees.
char *loginItemSet(int on) {
	if (@available(macOS 13.0, *)) {
		NSError *error = nil;
		SMAppService *service = [SMAppService mainAppService];
		BOOL done = on ? [service registerAndReturnError:&error] : [service unregisterAndReturnError:&error];
		return done ? NULL : strdup([[error localizedDescription] UTF8String]);
	}
	return strdup("it needs macOS 13");
}
