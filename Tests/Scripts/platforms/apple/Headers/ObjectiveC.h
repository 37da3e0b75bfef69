// The headers of the module ObjectiveC.
#include <objc/NSObject.h>
#include <objc/message.h>
#include <objc/runtime.h>
