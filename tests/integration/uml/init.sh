#!/bin/sh
# init of the User-Mode Linux guest: the host's files read-only, cgroup v2 with all controllers, then the tests named in
# TESTS as root, and as an ordinary user with a delegated control group. Prints "verdict NAME IDENTITY CODE" for each.
# STAGE, TESTS and SANITIZED come from the kernel's command line.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
echo 1 >/proc/sys/kernel/printk # every process killed for memory would be on the console
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs tmpfs /mnt
mkdir /mnt/stage
mount --bind "$STAGE" /mnt/stage # before the folder above it is hidden
mkdir -p /dev/shm
for folder in /tmp /var/tmp /dev/shm /run; do mount -t tmpfs -o mode=1777 tmpfs $folder; done
ip link set lo up 2>/dev/null

cd /sys/fs/cgroup || exit 1
echo "+memory +pids" >cgroup.subtree_control
mkdir -p delegated/tests
echo "+memory +pids" >delegated/cgroup.subtree_control
chown -R cocoon-test delegated

run() { # NAME IDENTITY COMMAND...
  name=$1 identity=$2
  shift 2
  COCOON_MUST_WORK=1 COCOON_SANITIZED=$SANITIZED /mnt/stage/tests/support/as.sh "$identity" /mnt/stage "$@" 2>&1
  echo "verdict $name $identity $?"
}

for name in $(echo "$TESTS" | tr , ' '); do
  run "$name" root /usr/bin/python3 "/mnt/stage/tests/integration/$name"
  (
    echo 0 >delegated/tests/cgroup.procs # this subshell
    run "$name" user /usr/bin/python3 "/mnt/stage/tests/integration/$name"
  )
done
busybox poweroff -f
