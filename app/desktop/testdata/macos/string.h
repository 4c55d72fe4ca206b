#pragma once
char *strdup(const char *text);
