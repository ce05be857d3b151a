"""Limits by cgroup v1, on a host whose memory and pids controllers are there (a hybrid hierarchy) and writable."""
from cocoon_test import ROOT, CocoonTest, main


def controllers():
    with open("/proc/self/mountinfo") as f:
        options = [line.split(" - ")[1] for line in f]
    return {name for name in ("memory", "pids") for o in options if o.startswith("cgroup ") and name in o.split()[-1].split(",")}


class Enforcement(CocoonTest):
    def setUp(self):
        super().setUp()
        if not ROOT:
            self.skipTest("only root may make groups here")
        if controllers() != {"memory", "pids"}:
            self.skipTest("the controllers are not on cgroup v1 here; cgroup v2 has a test of its own")

    def test_the_outcome_says_who_enforced(self):
        outcome = self.assert_ok(self.python("print(1)"))
        self.assertIn("cgroup v1", outcome["isolation"]["memory"])
        self.assertIn("cgroup v1", outcome["isolation"]["pids"])
        self.assertEqual(outcome["memory_meter"], "cgroup v1")


if __name__ == "__main__":
    main()
