// What cocoa_darwin.m does for cocoa_darwin.go. All are called on the main thread,
// except macReplyToTerminate, macNotify and macSetBusy, which may be called on any.

void macStart(void);
void macReplyToTerminate(void);
void macSetShown(int shown);
void macSetBusy(int busy);
int macNotify(const char *title, const char *body, unsigned long long number);
void macRemoveNotifications(void);
