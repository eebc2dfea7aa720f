//===- ReservedNames.cpp - Names that are somebody else's -------*- C++ -*-===//
//
// What a value may not be called, since the text would mean something else, and
// what a kernel may not be called besides, since it is declared already.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "tilec/Kernel/Vocabulary.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilec;
using llvm::StringRef;

/// Keywords of C++20 and C.
static const char kKeywords[] =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
    "co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if "
    "import inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override "
    "private protected public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq restrict";

/// What a kernel's text, or what is around it, says by name.
static const char kSpoken[] =
    "main min max fabs fabsf fma fmaf exp expf exp2 exp2f log logf log2 log2f sqrt sqrtf tanh tanhf erf erff sin "
    "sinf cos cosf floor floorf ceil ceilf pow powf fmax fmaxf fmin fminf half dim3 threadIdx blockIdx blockDim "
    "gridDim warpSize SHARED SHARED_AT TILEC_EMULATOR";

/// Macros of CUDA 13.0's cuda_runtime.h, which nvcc includes, and of the headers of glibc 2.36 in it.
static const char kMacros[] =
    "M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 "
    "AIO_PRIO_DELTA_MAX BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH BUFSIZ "
    "BYTE_ORDER CHARCLASS_NAME_MAX CHAR_BIT CHAR_MAX CHAR_MIN CHAR_WIDTH CLOCKS_PER_SEC COLL_WEIGHTS_MAX "
    "DELAYTIMER_MAX EOF EXIT_FAILURE EXIT_SUCCESS EXPR_NEST_MAX FD_CLR FD_ISSET FD_SET FD_SETSIZE FD_ZERO "
    "FILENAME_MAX FOPEN_MAX HOST_NAME_MAX INFINITY INT_MAX INT_MIN INT_WIDTH IOV_MAX LINE_MAX LITTLE_ENDIAN "
    "LLONG_MAX LLONG_MIN LLONG_WIDTH LOGIN_NAME_MAX LONG_BIT LONG_LONG_MAX LONG_LONG_MIN LONG_MAX LONG_MIN "
    "LONG_WIDTH L_ctermid L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAX_CANON MAX_INPUT MB_CUR_MAX "
    "MB_LEN_MAX MQ_PRIO_MAX NAME_MAX NAN NFDBITS NGROUPS_MAX NL_ARGMAX NL_LANGMAX NL_MSGMAX NL_NMAX NL_SETMAX "
    "NL_TEXTMAX NULL NZERO PATH_MAX PDP_ENDIAN PIPE_BUF PTHREAD_DESTRUCTOR_ITERATIONS PTHREAD_KEYS_MAX "
    "PTHREAD_STACK_MIN P_tmpdir RAND_MAX RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT RE_DUP_MAX RTSIG_MAX "
    "SCHAR_MAX SCHAR_MIN SCHAR_WIDTH SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SEM_VALUE_MAX SHRT_MAX SHRT_MIN "
    "SHRT_WIDTH SNAN SSIZE_MAX TIMER_ABSTIME TIME_UTC TMP_MAX TTY_NAME_MAX UCHAR_MAX UCHAR_WIDTH UINT_MAX UINT_WIDTH "
    "ULLONG_MAX ULLONG_WIDTH ULONG_LONG_MAX ULONG_MAX ULONG_WIDTH USHRT_MAX USHRT_WIDTH WCONTINUED WEXITED "
    "WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED WNOHANG WNOWAIT WORD_BIT WSTOPPED WSTOPSIG WTERMSIG "
    "WUNTRACED XATTR_LIST_MAX XATTR_NAME_MAX XATTR_SIZE_MAX alloca assert assert_perror be16toh be32toh be64toh "
    "htobe16 htobe32 htobe64 htole16 htole32 htole64 isalnum_l isalpha_l isascii isascii_l isblank_l iscntrl_l "
    "isdigit_l isgraph_l islower_l isprint_l ispunct_l isspace_l issubnormal isupper_l isxdigit_l le16toh le32toh "
    "le64toh linux math_errhandling offsetof stderr stdin stdout strdupa strndupa toascii toascii_l unix";
static const char *const kMacroStarts[] = {"FP_", "CLOCK_", "MOD_", "STA_", "ADJ_", "HUGE_VAL", "tilec"};

/// Functions, types and variables that these headers or NVRTC 13.0 declare, without the ones that kDeclaredStarts
/// or a suffix tells.
static const char kDeclared[] =
    "FILE MAJOR_VERSION MINOR_VERSION PATCH_LEVEL a64l abort abs acos acosh aligned_alloc all any arc4random "
    "arc4random_buf arc4random_uniform asctime asctime_r asin asinh asprintf at_quick_exit atan atan2 atanh atexit "
    "atof atoi atol atomicAdd atomicAdd_block atomicAdd_system atomicAnd atomicAnd_block atomicAnd_system atomicCAS "
    "atomicCAS_block atomicCAS_system atomicDec atomicDec_block atomicDec_system atomicExch atomicExch_block "
    "atomicExch_system atomicInc atomicInc_block atomicInc_system atomicMax atomicMax_block atomicMax_system "
    "atomicMin atomicMin_block atomicMin_system atomicOr atomicOr_block atomicOr_system atomicSub atomicSub_block "
    "atomicSub_system atomicXor atomicXor_block atomicXor_system ballot basename bcmp bcopy blkcnt64_t blkcnt_t "
    "blksize_t blockDim blockIdx bsearch bzero caddr_t calloc canonicalize canonicalize_file_name cbrt ceil char1 "
    "char2 char3 char4 clearenv clearerr clearerr_unlocked clock clock64 clock_adjtime clock_getcpuclockid "
    "clock_getres clock_gettime clock_nanosleep clock_settime clock_t clockid_t comparison_fn_t "
    "cookie_io_functions_t copysign cos cosh cospi ctermid ctime ctime_r cuserid cyl_bessel_i0 cyl_bessel_i1 dadd "
    "daddr_t daylight ddivl dev_t dfmal difftime dim3 div div_t dmul double1 double2 double2int double2ll "
    "double2uint double2ull double3 double4 double_t dprintf drand48 drand48_data drand48_r drem dsqrtl dsub dysize "
    "ecvt ecvt_r erand48 erand48_r erf erfc erfcinv erfcx erfinv exit exp exp10 exp2 explicit_bzero expm1 f32addf32x "
    "f32addf64 f32addf64x f32divf32x f32divf64 f32divf64x f32fmaf32x f32fmaf64 f32fmaf64x f32mulf32x f32mulf64 "
    "f32mulf64x f32sqrtf32x f32sqrtf64 f32sqrtf64x f32subf32x f32subf64 f32subf64x f32xaddf64 f32xaddf64x f32xdivf64 "
    "f32xdivf64x f32xfmaf64 f32xfmaf64x f32xmulf64 f32xmulf64x f32xsqrtf64 f32xsqrtf64x f32xsubf64 f32xsubf64x "
    "f64addf64x f64divf64x f64fmaf64x f64mulf64x f64sqrtf64x f64subf64x fabs fadd fclose fcloseall fcvt fcvt_r "
    "fd_mask fd_set fdim fdiv fdivide fdopen feof feof_unlocked ferror ferror_unlocked fflush fflush_unlocked ffma "
    "ffs fgetc fgetc_unlocked fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked finite float1 float2 "
    "float2double float3 float4 float_t flockfile floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num "
    "fmaxmag fmemopen fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul fopen fopen64 "
    "fopencookie fpclassify fpos64_t fpos_t fprintf fputc fputc_unlocked fputs fputs_unlocked fread fread_unlocked "
    "free freopen freopen64 frexp fromfp fromfpx fsblkcnt64_t fsblkcnt_t fscanf fseek fseeko fseeko64 fsetpos "
    "fsetpos64 fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsub ftell ftello ftello64 ftrylockfile funlockfile fwrite "
    "fwrite_unlocked gamma gcvt getc getc_unlocked getchar getchar_unlocked getdate getdate_err getdate_r getdelim "
    "getenv getline getloadavg getpayload getpt getsubopt getw gid_t gmtime gmtime_r grantpt gridDim hypot id_t "
    "ilogb index initstate initstate_r ino64_t ino_t int1 int16_t int2 int2double int3 int32_t int4 int64_t int8_t "
    "isalnum isalpha isblank iscanonical iscntrl isctype isdigit iseqsig isfinite isgraph isgreater isgreaterequal "
    "isinf isless islessequal islessgreater islower isnan isnormal isprint ispunct issignaling isspace isunordered "
    "isupper isxdigit iszero itimerspec j0 j1 jn jrand48 jrand48_r key_t l64a labs lcong48 lcong48_r ldexp ldiv "
    "ldiv_t lgamma lgamma_r lgammaf32_r lgammaf32x_r lgammaf64_r lgammaf64x_r lgammaf_r lgammal_r "
    "libraryPropertyType libraryPropertyType_t ll2double llabs lldiv lldiv_t llmax llmin llogb llrint llround "
    "locale_t localtime localtime_r loff_t log log10 log1p log2 logb long1 long2 long3 long4 longlong1 longlong2 "
    "longlong3 longlong4 lrand48 lrand48_r lrint lround main malloc max max_align_t mblen mbstowcs mbtowc memccpy "
    "memchr memcmp memcpy memfrob memmem memmove mempcpy memrchr memset min mkdtemp mkostemp mkostemp64 mkostemps "
    "mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime mode_t modf mrand48 mrand48_r nan nanosleep "
    "nearbyint nextafter nextdown nexttoward nextup nlink_t norm norm3d norm4d normcdf normcdfinv nrand48 nrand48_r "
    "nullptr_t obstack obstack_printf obstack_vprintf off64_t off_t on_exit open_memstream pclose perror pid_t popen "
    "posix_memalign posix_openpt pow printf pselect pthread_attr_t pthread_barrier_t pthread_barrierattr_t "
    "pthread_cond_t pthread_condattr_t pthread_key_t pthread_mutex_t pthread_mutexattr_t pthread_once_t "
    "pthread_rwlock_t pthread_rwlockattr_t pthread_spinlock_t pthread_t ptrdiff_t ptsname ptsname_r putc "
    "putc_unlocked putchar putchar_unlocked putenv puts putw qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r quad_t "
    "quick_exit rand rand_r random random_data random_r rawmemchr rcbrt realloc reallocarray realpath remainder "
    "remove remquo rename renameat renameat2 rewind rhypot rindex rint rnorm rnorm3d rnorm4d round roundeven rpmatch "
    "rsqrt scalb scalbln scalbn scanf secure_getenv seed48 seed48_r select setbuf setbuffer setenv setlinebuf "
    "setpayload setpayloadsig setstate setstate_r setvbuf short1 short2 short3 short4 sigabbrev_np sigdescr_np "
    "sigevent signbit signgam significand sigset_t sin sincos sincospi sinh sinpi size_t snprintf sprintf sqrt srand "
    "srand48 srand48_r srandom srandom_r sscanf ssize_t std stpcpy stpncpy strcasecmp strcasecmp_l strcasestr strcat "
    "strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strerrordesc_np "
    "strerrorname_np strfromd strfromf strfromf32 strfromf32x strfromf64 strfromf64x strfroml strfry strftime "
    "strftime_l strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strptime strptime_l "
    "strrchr strsep strsignal strspn strstr strtod strtod_l strtof strtof32 strtof32_l strtof32x strtof32x_l "
    "strtof64 strtof64_l strtof64x strtof64x_l strtof_l strtok strtok_r strtol strtol_l strtold strtold_l strtoll_l "
    "strtoq strtoul strtoul_l strtoull_l strtouq strverscmp strxfrm strxfrm_l suseconds_t syncthreads_and "
    "syncthreads_count syncthreads_or system tan tanh tempnam tgamma threadIdx time time_t timegm timelocal "
    "timer_create timer_delete timer_getoverrun timer_gettime timer_settime timer_t timespec timespec_get "
    "timespec_getres timeval timex timezone tm tmpfile tmpfile64 tmpnam tmpnam_r tolower tolower_l totalorder "
    "totalordermag toupper toupper_l trunc tzname tzset u_char u_int u_int16_t u_int32_t u_int64_t u_int8_t u_long "
    "u_quad_t u_short uchar1 uchar2 uchar3 uchar4 ufromfp ufromfpx uid_t uint uint1 uint2 uint2double uint3 uint4 "
    "ull2double ullmax ullmin ulong ulong1 ulong2 ulong3 ulong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4 umax "
    "umin ungetc unlockpt unsetenv useconds_t ushort ushort1 ushort2 ushort3 ushort4 va_list valloc vasprintf "
    "vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf warpSize wcstombs wctomb y0 y1 yn";
static const char *const kDeclaredStarts[] = {"cuda", "CU", "make_", "tex1D", "tex2D", "tex3D", "texCubemap", "surf1D", "surf2D", "surf3D", "surfCubemap"};

static llvm::StringSet<> split(StringRef words) {
  llvm::SmallVector<StringRef> list;
  words.split(list, ' ');
  llvm::StringSet<> set;
  for (StringRef word : list)
    set.insert(word);
  return set;
}

static bool startsWithAny(StringRef name, llvm::ArrayRef<const char *> starts) {
  return llvm::any_of(starts, [&](const char *start) { return name.starts_with(start); });
}

/// Functions come for several types: exp, expf, expl, expf32x.
static bool isIn(const llvm::StringSet<> &set, StringRef name) {
  if (set.contains(name))
    return true;
  for (StringRef suffix : {"f", "l", "f16", "f32", "f32x", "f64", "f64x", "f128", "F", "L", "F32", "F32X", "F64", "F64X", "F128"}) {
    StringRef stem = name;
    if (stem.consume_back(suffix) && set.contains(stem))
      return true;
  }
  return false;
}

bool tilec::isReservedForValues(StringRef name) {
  static const llvm::StringSet<> words = split(kKeywords), spoken = split(kSpoken), macros = split(kMacros);
  return words.contains(name) || spoken.contains(name) || isIn(macros, name) || startsWithAny(name, kMacroStarts) ||
         kernel::lookupFunction(name);
}

bool tilec::isReservedForKernels(StringRef name) {
  static const llvm::StringSet<> declared = split(kDeclared);
  bool ofDriver = name.size() > 2 && name.starts_with("cu") && llvm::isUpper(name[2]); // cuLaunchKernel
  return isReservedForValues(name) || isIn(declared, name) || ofDriver || startsWithAny(name, kDeclaredStarts);
}
