// The login item of a signed app in a bundle. The functions may be called on any thread.

int loginItemUsable(void);
int loginItemOn(void);
char *loginItemSet(int on);
