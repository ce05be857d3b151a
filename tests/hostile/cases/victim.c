/* Not a case: the host-side process that the runner starts and the cases attack.
 * It holds a secret in memory, an open file, SysV shared memory and a cwd; it ends by itself after 90 s. */
#include "hostile.h"

#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/shm.h>
static int shmid = -1;
static void bye(int s) {
  (void)s;
  if (shmid >= 0) shmctl(shmid, IPC_RMID, 0);
  _exit(0);
}
int main(int argc, char** argv) {
  const char *sec = ARG(argc, argv, "secret", "none"), *file = ARG(argc, argv, "file", "/dev/null");
  signal(SIGTERM, bye);
  signal(SIGALRM, bye);
  alarm(90);
  char* buf = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  snprintf(buf, 4096, "%s", sec);
  int fd = open(file, O_RDWR);
  shmid = shmget(atoi(ARG(argc, argv, "shmkey", "0")), 4096, IPC_CREAT | 0600);
  if (shmid >= 0) {
    char* p = shmat(shmid, 0, 0);
    if (p != (void*)-1) snprintf(p, 4096, "%s", sec);
  }
  printf("%d %lu %d %d\n", getpid(), (unsigned long)buf, fd, shmid);
  fflush(stdout);
  for (;;) pause();
}
