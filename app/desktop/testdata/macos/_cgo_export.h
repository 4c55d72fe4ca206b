// What cgo writes of the functions that cocoa_darwin.go and loginitem_darwin.go export.
#pragma once
void goShouldTerminate(void);
void goReopen(void);
void goNotificationPressed(unsigned long long n);
