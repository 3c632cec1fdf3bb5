// Helper processes with two pipes, a deadline and complete clean-up; and programs that answer questions.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // pipe2: another thread's child must not inherit our pipe and keep it open
#endif
#include "base/child.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct pipes {
    int output[2], message[2]; // read end, write end; -1 when closed
} pipes;

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

static void close_pipes(pipes *p)
{
    close_fd(&p->output[0]);
    close_fd(&p->output[1]);
    close_fd(&p->message[0]);
    close_fd(&p->message[1]);
}

static bool open_pipe(int ends[2])
{
#if defined(__linux__)
    return pipe2(ends, O_CLOEXEC) == 0;
#else
    return pipe(ends) == 0 && fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
#endif
}

static double seconds_now(void) { return 1e-6 * am_clock_us(); }

enum { max_arguments = 15 };

/// Starts a program with these streams: `in` may be -1 for nothing to read, `message` -1 for our own stderr.
static int start(pid_t *pid, const char *const *argv, int in, int out, int message)
{
    // posix_spawn promises not to write to the strings, but its type is older than const.
    char *words[max_arguments + 1] = { NULL };
    for (int i = 0; i < max_arguments && argv[i]; i++) {
        memcpy(&words[i], &argv[i], sizeof words[i]);
    }
    if (!argv[0]) {
        return EINVAL;
    }
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) {
        return status;
    }
    status = in < 0 ? posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                    : posix_spawn_file_actions_adddup2(&actions, in, 0);
    if (status == 0) {
        status = posix_spawn_file_actions_adddup2(&actions, out, 1);
    }
    if (status == 0 && message >= 0) {
        status = posix_spawn_file_actions_adddup2(&actions, message, 2);
    }
    if (status == 0) {
        status = posix_spawnp(pid, argv[0], &actions, NULL, words, environ); // a name without '/' is found in PATH
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

/// Result of one round of reading.
typedef enum collected {
    MORE,
    ALL,
    TOO_MUCH,
    TOO_LONG,
    NO_MEMORY,
} collected;

/// Reads what is there from both pipes; an end that closes is forgotten.
static collected read_round(ami_child *out, pipes *p, size_t max_output, double deadline, size_t *message_size)
{
    struct pollfd polls[2] = { { p->output[0], POLLIN, 0 }, { p->message[0], POLLIN, 0 } };
    double left = deadline - seconds_now();
    int ready = left > 0.0 ? poll(polls, 2, (int)(left * 1000.0) + 1) : 0;
    if (ready == 0) {
        return TOO_LONG;
    }
    char piece[65536];
    if (polls[0].revents) {
        ssize_t got = read(p->output[0], piece, sizeof piece);
        if (got > 0 && (size_t)got > max_output - out->output.size) {
            return TOO_MUCH;
        }
        if (got > 0 && !ami_put(&out->output, piece, (size_t)got)) {
            return NO_MEMORY;
        }
        if (got == 0) {
            close_fd(&p->output[0]);
        }
    }
    if (polls[1].revents) {
        ssize_t got = read(p->message[0], piece, sizeof piece);
        size_t room = sizeof out->message - 1 - *message_size;
        size_t keep = got > 0 ? (size_t)got < room ? (size_t)got : room : 0;
        memcpy(out->message + *message_size, piece, keep); // the rest is read and dropped
        *message_size += keep;
        if (got == 0) {
            close_fd(&p->message[0]);
        }
    }
    return p->output[0] < 0 && p->message[0] < 0 ? ALL : MORE;
}

static void wait_for(ami_child *out, pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    out->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static am_result collect(ami_child *out, pipes *p, pid_t pid, double seconds, size_t max_output, const char *name,
                         am_error *err)
{
    double deadline = seconds_now() + seconds;
    size_t message_size = 0;
    collected state = MORE;
    while (state == MORE) {
        state = read_round(out, p, max_output, deadline, &message_size);
    }
    if (state != ALL) {
        kill(pid, SIGKILL);
    }
    wait_for(out, pid);
    out->timed_out = state == TOO_LONG;
    switch (state) {
    case TOO_LONG:
        return ami_fail(err, AM_ERR_CHILD, "%s took longer than %g s and was stopped", name, seconds);
    case TOO_MUCH:
        return ami_fail(err, AM_ERR_CHILD, "%s wrote more than %zu bytes and was stopped", name, max_output);
    case NO_MEMORY:
        return ami_fail_memory(err, out->output.size);
    default:
        return AM_OK;
    }
}

am_result ami_child_run(ami_child *out, const char *const *argv, double seconds, size_t max_output,
                        const am_alloc *alloc, am_error *err)
{
    memset(out, 0, sizeof *out);
    out->output = ami_bytes_make(alloc);
    pipes p = { { -1, -1 }, { -1, -1 } };
    if (!open_pipe(p.output) || !open_pipe(p.message)) {
        am_result result = ami_fail(err, AM_ERR_CHILD, "cannot create a pipe to %s: %s", argv[0], strerror(errno));
        close_pipes(&p);
        return result;
    }
    pid_t pid = 0;
    int status = start(&pid, argv, -1, p.output[1], p.message[1]);
    close_fd(&p.output[1]);
    close_fd(&p.message[1]);
    am_result result = status != 0 ? ami_fail(err, AM_ERR_CHILD, "cannot run %s: %s", argv[0], strerror(status))
                                   : collect(out, &p, pid, seconds, max_output, argv[0], err);
    close_pipes(&p);
    return result;
}

void ami_child_limit(size_t memory)
{
    const struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_CORE, &none);
#if defined(__SANITIZE_ADDRESS__) // which reserves terabytes of address space
    (void)memory;
#else
    const struct rlimit most = { (rlim_t)memory, (rlim_t)memory };
    setrlimit(RLIMIT_AS, &most);
#endif
}

// ---------------------------------------------------------------------------------------------
// Dialogues

struct ami_dialogue {
    pid_t child;
    FILE *to;
    FILE *from;
};

ami_dialogue *ami_dialogue_start(const char *const *words)
{
    int to[2] = { -1, -1 }, from[2] = { -1, -1 };
    pid_t child = 0;
    signal(SIGPIPE, SIG_IGN); // a program that dies is a failed question, not our end
    bool started = open_pipe(to) && open_pipe(from) && start(&child, words, to[0], from[1], -1) == 0;
    close_fd(&to[0]);
    close_fd(&from[1]);
    ami_dialogue *d = started ? calloc(1, sizeof *d) : NULL;
    FILE *out = d ? fdopen(to[1], "w") : NULL;
    FILE *in = out ? fdopen(from[0], "r") : NULL;
    if (in) {
        *d = (ami_dialogue){ child, out, in };
        return d;
    }
    if (out) {
        fclose(out);
    } else {
        close_fd(&to[1]);
    }
    close_fd(&from[0]);
    if (started) {
        waitpid(child, NULL, 0);
    }
    free(d);
    return NULL;
}

bool ami_dialogue_ask(ami_dialogue *dialogue, char *answer, size_t size, const char *question)
{
    return fprintf(dialogue->to, "%s\n", question) >= 0 && fflush(dialogue->to) == 0 &&
           fgets(answer, (int)size, dialogue->from);
}

void ami_dialogue_end(ami_dialogue *dialogue)
{
    if (dialogue) {
        fclose(dialogue->to); // the program ends with its input
        fclose(dialogue->from);
        waitpid(dialogue->child, NULL, 0);
        free(dialogue);
    }
}
