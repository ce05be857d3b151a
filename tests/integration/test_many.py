"""A hundred runs at once all succeed, keep apart, and leave nothing."""
import json
import threading
import time

from cocoon_test import PYTHON, SANITIZED, CocoonTest, main


class Many(CocoonTest):
    COUNT = 40 if SANITIZED else 100

    def test_at_once(self):
        results, lock = {}, threading.Lock()
        processes = [self.start("run", "--timeout", "120", "--json", "--", PYTHON, "-c",
                                "import os, sys\nopen('/tmp/mine', 'w').write(sys.argv[1])\nprint(sys.argv[1], os.listdir('/tmp'))",
                                str(i)) for i in range(self.COUNT)]

        def collect(i):
            out, err = processes[i].communicate(timeout=240)
            with lock:
                results[i] = (processes[i].returncode, out, err)

        threads = [threading.Thread(target=collect, args=(i,)) for i in range(self.COUNT)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for process in processes:
            self.helpers.discard(process.pid)
        self.assertEqual(len(results), self.COUNT)
        for i, (code, out, err) in results.items():
            self.assertEqual((code, err), (0, b""), (i, out))
            outcome = json.loads(out)
            self.assertEqual(outcome["status"], "exited")
            self.assertTrue(outcome["stdout"].startswith("%d [" % i), outcome["stdout"])

    def test_limits_are_per_run_and_not_per_user(self):
        # Twelve runs hold 20 processes each; a limit counted per user would stop them at 40.
        processes = [self.start("run", "--pids", "40", "--timeout", "100", "--json", "--", "/bin/sh", "-c",
                                "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 3 & done; wait; echo all")
                     for _ in range(12)]
        for process in processes:
            out, _ = process.communicate(timeout=120)
            self.helpers.discard(process.pid)
            self.assertEqual(json.loads(out)["stdout"], "all\n", out)

    def test_killing_many_at_once_leaves_nothing(self):
        processes = [self.start("run", "--timeout", "60", "--json", "--", "/bin/sleep", "50") for _ in range(20)]
        time.sleep(0.5)
        for process in processes:
            process.kill()
        for process in processes:
            process.communicate(timeout=20)
            self.helpers.discard(process.pid)


if __name__ == "__main__":
    main()
