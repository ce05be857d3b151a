/* Measures what a sandbox costs per run, as a whole process: wall time from start to reaped, against a bare fork+exec.
 *
 * overhead COCOON BWRAP FOLDER ROUNDS: prints one line "TOOL PAYLOAD P50_US P99_US" per pair, then "throughput TOOL WORKERS
 * RUNS_PER_S", and "pipeline STEPS P50_US P99_US". FOLDER has bubblewrap's arguments for Cocoon's policy (bwrap_policy.py). All commands take turns within a round, in rotating order, so that drift of the machine hits all alike.
 * Started by root it becomes an ordinary user first: the sandboxes are rootless, and that is what is to be measured. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_ARGS = 256,
  MAX_ROUNDS = 2000,
  MAX_WORKERS = 4,
  ORDINARY_UID = 65534,
  TOOLS = 4,
  PAYLOADS = 2,
  FILTER_FD = 10
};

static char* const clean_env[] = {"PATH=/usr/bin:/bin", "HOME=/tmp", "LANG=C.UTF-8", NULL};
static const char* const tool_names[TOOLS] = {"bare", "cocoon", "bwrap", "bwrap-plain"};
static const char* const payload_names[PAYLOADS] = {"true", "python"};
static char* const payloads[PAYLOADS][4] = {{"/bin/true", NULL}, {"/usr/bin/python3", "-c", "print(1)", NULL}};

struct command {
  char* argv[MAX_ARGS];
  const char* filter; /* to be open as FILTER_FD, or NULL */
};
static struct command commands[TOOLS][PAYLOADS];
static double samples_us[TOOLS][PAYLOADS][MAX_ROUNDS];

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void append(struct command* command, char* const* words) {
  int n = 0;
  while (command->argv[n]) n++;
  for (; *words && n < MAX_ARGS - 1; words++) command->argv[n++] = *words;
}

/* The lines of a file, in memory that is never given back. */
static char** read_lines(const char* folder, const char* name, char* first) {
  static char text[65536];
  static char* lines[MAX_ARGS];
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "r");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (length == 0) {
    perror(path);
    exit(1);
  }
  fclose(file);
  int n = 0;
  lines[n++] = first;
  for (char* line = strtok(text, "\n"); line && n < MAX_ARGS - 1; line = strtok(NULL, "\n")) lines[n++] = line;
  return lines;
}

static void build_commands(char* cocoon, char* bwrap, const char* folder) {
  static char filter[4096];
  snprintf(filter, sizeof filter, "%s/seccomp.bpf", folder);
  char number[16];
  snprintf(number, sizeof number, "%d", FILTER_FD);
  char* const filter_words[] = {bwrap, "--seccomp", strdup(number), NULL};
  char** policy = read_lines(folder, "bwrap.args", bwrap);
  /* What people write when they only want a box: the whole of /etc, no filter, nothing masked, nothing bounded. */
  char* const plain_words[] = {bwrap,
                               "--ro-bind",
                               "/usr",
                               "/usr",
                               "--symlink",
                               "usr/bin",
                               "/bin",
                               "--symlink",
                               "usr/lib",
                               "/lib",
                               "--symlink",
                               "usr/lib64",
                               "/lib64",
                               "--symlink",
                               "usr/sbin",
                               "/sbin",
                               "--ro-bind",
                               "/etc",
                               "/etc",
                               "--proc",
                               "/proc",
                               "--dev",
                               "/dev",
                               "--tmpfs",
                               "/tmp",
                               "--unshare-all",
                               "--die-with-parent",
                               "--new-session",
                               "--cap-drop",
                               "ALL",
                               "--clearenv",
                               "--setenv",
                               "PATH",
                               "/usr/bin:/bin",
                               "--",
                               NULL};
  char* const cocoon_words[] = {cocoon, "run", "--", NULL};
  for (int p = 0; p < PAYLOADS; p++) {
    append(&commands[1][p], cocoon_words);
    append(&commands[2][p], filter_words);
    append(&commands[2][p], policy + 1);
    commands[2][p].filter = filter;
    append(&commands[3][p], plain_words);
    for (int t = 0; t < TOOLS; t++) append(&commands[t][p], payloads[p]);
  }
}

/* One run with its output thrown away; ends the program if it fails, since a failure is quick and would look good. */
static double run_us(const struct command* command) {
  int quiet = strcmp(command->argv[1] ? command->argv[1] : "", "pipeline") == 0; /* its headers */
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  if (command->filter) posix_spawn_file_actions_addopen(&actions, FILTER_FD, command->filter, O_RDONLY, 0);
  if (quiet) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  double begin = now_us();
  pid_t pid;
  int error = posix_spawn(&pid, command->argv[0], &actions, NULL, command->argv, clean_env);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (error == 0) waitpid(pid, &status, 0);
  double end = now_us();
  if (error || status) {
    fprintf(stderr, "bench: %s failed (%s, status %d)\n", command->argv[0], strerror(error), status);
    exit(1);
  }
  return end - begin;
}

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Pipelines of one and of MANY_STEPS equal steps, in turns: the difference is what a further step costs. */
static void measure_pipelines(char* cocoon, int rounds) {
  enum { MANY_STEPS = 5 };
  static double us[2][MAX_ROUNDS];
  static const int steps[2] = {1, MANY_STEPS};
  struct command pipelines[2] = {0};
  for (int k = 0; k < 2; k++) {
    append(&pipelines[k], (char* const[]){cocoon, "pipeline", NULL});
    for (int s = 0; s < steps[k]; s++) append(&pipelines[k], (char* const[]){"-s", "sh::", NULL});
    run_us(&pipelines[k]);
  }
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < 2; k++) us[(k + r) % 2][r] = run_us(&pipelines[(k + r) % 2]);
  for (int k = 0; k < 2; k++) {
    qsort(us[k], (size_t)rounds, sizeof us[k][0], by_value);
    printf("pipeline %d %.0f %.0f\n", steps[k], us[k][rounds / 2], us[k][(rounds * 99) / 100]);
  }
}

/* Runs /bin/true through the tool in `workers` processes for at least `per_worker` runs each. */
static double runs_per_second(const struct command* command, int workers, int per_worker) {
  double begin = now_us();
  for (int w = 0; w < workers; w++) {
    pid_t pid = fork();
    if (pid < 0) {
      perror("bench: fork");
      exit(1);
    }
    if (pid == 0) {
      for (int i = 0; i < per_worker; i++) run_us(command);
      _exit(0);
    }
  }
  for (int w = 0; w < workers; w++) {
    int status = -1;
    if (wait(&status) < 0 || status) exit(1);
  }
  return workers * per_worker / ((now_us() - begin) / 1e6);
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: overhead COCOON BWRAP FOLDER ROUNDS\n");
    return 2;
  }
  int rounds = atoi(argv[4]);
  if (rounds < 1 || rounds > MAX_ROUNDS) return 2;
  if (geteuid() == 0 && (setgroups(0, NULL) || setgid(ORDINARY_UID) || setuid(ORDINARY_UID))) {
    perror("bench: becoming an ordinary user");
    return 1;
  }
  if (chdir("/")) return 1; /* no folder of the caller's is granted, on either side */
  build_commands(argv[1], argv[2], argv[3]);

  for (int t = 0; t < TOOLS; t++)
    for (int p = 0; p < PAYLOADS; p++) run_us(&commands[t][p]); /* warm */
  for (int r = 0; r < rounds; r++)
    for (int k = 0; k < TOOLS * PAYLOADS; k++) {
      int at = (k + r) % (TOOLS * PAYLOADS), t = at / PAYLOADS, p = at % PAYLOADS;
      samples_us[t][p][r] = run_us(&commands[t][p]);
    }
  for (int t = 0; t < TOOLS; t++)
    for (int p = 0; p < PAYLOADS; p++) {
      double* s = samples_us[t][p];
      qsort(s, (size_t)rounds, sizeof *s, by_value);
      printf("%s %s %.0f %.0f\n", tool_names[t], payload_names[p], s[rounds / 2], s[(rounds * 99) / 100]);
    }
  measure_pipelines(argv[1], rounds);
  for (int workers = 1; workers <= MAX_WORKERS; workers *= 2)
    for (int t = 0; t < TOOLS; t++)
      printf("throughput %s %d %.0f\n", tool_names[t], workers,
             runs_per_second(&commands[t][0], workers, rounds / workers + 1));
  return 0;
}
