/// AM_ASSERT: for misuse by the programmer, never for bytes from outside. Alive in debug and sanitised
/// builds, gone in release. An engine hooks its own by compiling with -DAM_ASSERT(c)=...; there is no run-time hook,
/// since that would be a mutable global.
#ifndef AMI_BASE_ASSERT_H
#define AMI_BASE_ASSERT_H

#ifndef AM_ASSERT
#if !defined(NDEBUG) || defined(AMI_ASSERTS)
/// Prints the condition to stderr and aborts.
_Noreturn void ami_assert_failed(const char *condition, const char *file, int line);
#define AM_ASSERT(condition) ((condition) ? (void)0 : ami_assert_failed(#condition, __FILE__, __LINE__))
#else
#define AM_ASSERT(condition) ((void)sizeof(condition)) // names stay used, nothing is evaluated
#endif
#endif

#endif
