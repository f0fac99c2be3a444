/* The machine that a broker of a trial believes to be on, loaded into it by LD_PRELOAD.

   Its clock can be set, its fsync is slow or fails, and of its files a journal is kept from which a
   loss of power can be made: whatever was not synced, with what stood there before.  A sync makes
   nothing durable but by a line of that journal.

   FAULTS_CONTROL  a file with a struct control, which the trial writes while the broker runs
   FAULTS_FILES    how the paths of files begin that are on the disk of this machine
   FAULTS_JOURNAL  a directory for the journal and what it keeps, on the same file system
   FAULTS_BOOT_ID  stands for /proc/sys/kernel/random/boot_id

   A file is opened, written by pwrite or write, truncated, synced, renamed and removed: other ways
   to change one (O_TRUNC, mmap, link) are not noticed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define DESCRIPTORS 65536
#define PATH_SIZE 4096

struct control {
    int64_t clock_step_ns;
    int64_t sync_ns;
    int64_t sync_errno;
};

static struct control nothing;
static volatile struct control *control = &nothing;
static const char *files, *journal, *boot_id;
static int lines = -1;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static char on_disk[DESCRIPTORS];

#define REAL(name) \
    static __typeof__(name) *real; \
    if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void)
{
    char path[PATH_SIZE];
    const char *file = getenv("FAULTS_CONTROL");
    int descriptor = file ? open(file, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *mapped = mmap(NULL, sizeof nothing, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped != MAP_FAILED) control = mapped;
    boot_id = getenv("FAULTS_BOOT_ID");
    journal = getenv("FAULTS_JOURNAL");
    snprintf(path, sizeof path, "%s/lines", journal);
    lines = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    files = getenv("FAULTS_FILES"); /* Last: from here on files are noticed. */
}

static int64_t moment(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The clock. */

int clock_gettime(clockid_t id, struct timespec *time)
{
    REAL(clock_gettime);
    int failed = real(id, time);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        int64_t ns = time->tv_sec * INT64_C(1000000000) + time->tv_nsec + control->clock_step_ns;
        time->tv_sec = ns / INT64_C(1000000000);
        time->tv_nsec = ns % INT64_C(1000000000);
    }
    return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds) *seconds = now.tv_sec;
    return now.tv_sec;
}

/* The journal: a line is a moment, a letter, and what belongs to it, with tabs between. */

static int is_on_disk(const char *path)
{
    return files && path && strncmp(path, files, strlen(files)) == 0;
}

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    char line[3 * PATH_SIZE];
    va_list values;
    va_start(values, format);
    int size = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (write(lines, line, size) != size) abort();
}

static uint64_t inode_of_parent(const char *path)
{
    struct stat status;
    char parent[PATH_SIZE];
    snprintf(parent, sizeof parent, "%s", path);
    char *slash = strrchr(parent, '/');
    if (slash) *slash = 0;
    return stat(parent, &status) ? 0 : status.st_ino;
}

/* Keep what stands in a file from start to end, and return whether anything does. */
static int keep_bytes(int64_t now, int descriptor, off_t start, off_t end)
{
    if (end <= start) return 0;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%lld", journal, (long long)now);
    int kept = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    char *bytes = malloc(end - start);
    if (kept < 0 || !bytes) abort();
    ssize_t size = pread(descriptor, bytes, end - start, start);
    if (size < 0 || write(kept, bytes, size) != size) abort();
    free(bytes);
    close(kept);
    return 1;
}

/* Keep a file whose name is about to go, if there is one. */
static void keep_file(int64_t now, const char *path)
{
    char kept[PATH_SIZE];
    snprintf(kept, sizeof kept, "%s/%lld", journal, (long long)now);
    if (link(path, kept) && errno != ENOENT && errno != EPERM) abort();
}

/* What changes files. */

static int opened(int descriptor, const char *path, int is_new)
{
    if (descriptor >= 0 && descriptor < DESCRIPTORS) {
        on_disk[descriptor] = 1;
        if (is_new) {
            note("%lld\tcreate\t%llu\t%s\n", (long long)moment(),
                 (unsigned long long)inode_of_parent(path), path);
        }
    }
    return descriptor;
}

int open64(const char *path, int flags, ...)
{
    REAL(open64);
    va_list values;
    va_start(values, flags);
    mode_t mode = flags & O_CREAT ? va_arg(values, mode_t) : 0;
    va_end(values);
    if (boot_id && strcmp(path, BOOT_ID) == 0) path = boot_id;
    if (!is_on_disk(path)) return real(path, flags, mode);
    pthread_mutex_lock(&order);
    int is_new = flags & O_CREAT && access(path, F_OK) != 0;
    int descriptor = opened(real(path, flags, mode), path, is_new);
    int error = errno;
    pthread_mutex_unlock(&order);
    errno = error;
    return descriptor;
}

int open(const char *path, int flags, ...) __attribute__((alias("open64")));

int close(int descriptor)
{
    REAL(close);
    if (descriptor >= 0 && descriptor < DESCRIPTORS) on_disk[descriptor] = 0;
    return real(descriptor);
}

static int is_noticed(int descriptor)
{
    return descriptor >= 0 && descriptor < DESCRIPTORS && on_disk[descriptor];
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off_t position)
{
    REAL(pwrite64);
    struct stat status;
    if (!is_noticed(descriptor)) return real(descriptor, bytes, size, position);
    pthread_mutex_lock(&order);
    int64_t now = moment();
    fstat(descriptor, &status);
    off_t end = position + (off_t)size < status.st_size ? position + (off_t)size : status.st_size;
    int is_kept = keep_bytes(now, descriptor, position, end);
    ssize_t written = real(descriptor, bytes, size, position);
    int error = errno;
    if (written > 0) {
        note("%lld\twrite\t%llu\t%lld\t%lld\t%lld\t%d\n", (long long)now,
             (unsigned long long)status.st_ino, (long long)position, (long long)written,
             (long long)status.st_size, is_kept);
    }
    pthread_mutex_unlock(&order);
    errno = error;
    return written;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t position)
    __attribute__((alias("pwrite64")));

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    REAL(write);
    if (!is_noticed(descriptor)) return real(descriptor, bytes, size);
    off_t position = lseek(descriptor, 0, SEEK_CUR);
    ssize_t written = pwrite64(descriptor, bytes, size, position);
    if (written > 0) lseek(descriptor, position + written, SEEK_SET);
    return written;
}

int ftruncate64(int descriptor, off_t size)
{
    REAL(ftruncate64);
    struct stat status;
    if (!is_noticed(descriptor)) return real(descriptor, size);
    pthread_mutex_lock(&order);
    int64_t now = moment();
    fstat(descriptor, &status);
    int is_kept = keep_bytes(now, descriptor, size, status.st_size);
    int failed = real(descriptor, size);
    int error = errno;
    if (!failed) {
        note("%lld\ttruncate\t%llu\t%lld\t0\t%lld\t%d\n", (long long)now,
             (unsigned long long)status.st_ino, (long long)size, (long long)status.st_size,
             is_kept);
    }
    pthread_mutex_unlock(&order);
    errno = error;
    return failed;
}

int ftruncate(int descriptor, off_t size) __attribute__((alias("ftruncate64")));

int fsync(int descriptor)
{
    REAL(fsync);
    struct stat status;
    if (!is_noticed(descriptor)) return real(descriptor);
    /* What is written while the sync goes on is not made durable by it. */
    int64_t began = moment();
    int64_t wait = control->sync_ns;
    if (wait > 0) {
        struct timespec left = {wait / INT64_C(1000000000), wait % INT64_C(1000000000)};
        nanosleep(&left, NULL);
    }
    if (control->sync_errno) {
        errno = control->sync_errno;
        return -1;
    }
    if (fstat(descriptor, &status)) return -1;
    pthread_mutex_lock(&order);
    note("%lld\tsync\t%llu\n", (long long)began, (unsigned long long)status.st_ino);
    pthread_mutex_unlock(&order);
    return 0;
}

int fdatasync(int descriptor) __attribute__((alias("fsync")));

/* What changes names. */

int rename(const char *source, const char *target)
{
    REAL(rename);
    if (!is_on_disk(target)) return real(source, target);
    pthread_mutex_lock(&order);
    int64_t now = moment();
    struct stat status;
    keep_file(now, target);
    int failed = real(source, target);
    int error = errno;
    if (!failed) {
        int is_directory = !stat(target, &status) && S_ISDIR(status.st_mode);
        note("%lld\t%s\t%llu\t%s\t%s\n", (long long)now, is_directory ? "move" : "rename",
             (unsigned long long)inode_of_parent(target), source, target);
    }
    pthread_mutex_unlock(&order);
    errno = error;
    return failed;
}

int unlink(const char *path)
{
    REAL(unlink);
    if (!is_on_disk(path)) return real(path);
    pthread_mutex_lock(&order);
    int64_t now = moment();
    keep_file(now, path);
    int failed = real(path);
    int error = errno;
    if (!failed) {
        note("%lld\tremove\t%llu\t%s\n", (long long)now,
             (unsigned long long)inode_of_parent(path), path);
    }
    pthread_mutex_unlock(&order);
    errno = error;
    return failed;
}

static int changed_directory(int failed, const char *act, const char *path)
{
    int error = errno;
    if (!failed && is_on_disk(path)) {
        pthread_mutex_lock(&order);
        note("%lld\t%s\t%llu\t%s\n", (long long)moment(), act,
             (unsigned long long)inode_of_parent(path), path);
        pthread_mutex_unlock(&order);
    }
    errno = error;
    return failed;
}

int mkdir(const char *path, mode_t mode)
{
    REAL(mkdir);
    return changed_directory(real(path, mode), "mkdir", path);
}

int rmdir(const char *path)
{
    REAL(rmdir);
    return changed_directory(real(path), "rmdir", path);
}
