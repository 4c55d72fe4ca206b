// Just what this project's Objective-C uses of the runtime.
#pragma once
#import <Foundation/Foundation.h>
IMP class_replaceMethod(Class cls, SEL name, IMP imp, const char *types);
