"""Runs inside the User-Mode Linux guest of test_cgroup_v2.py: the limits again, enforced by cgroup v2, without Landlock."""
import os

import test_limits
import test_outcome
from cocoon_test import CocoonTest, main

Memory, Processes, Outcome = test_limits.Memory, test_limits.Processes, test_outcome.Outcome
del test_limits, test_outcome


class Enforcement(CocoonTest):
    def test_the_outcome_says_who_enforced(self):
        with open("/sys/fs/cgroup/cgroup.controllers") as f:
            self.assertIn("memory", f.read())
        outcome = self.assert_ok(self.python("print(1)"))
        self.assertIn("cgroup v2", outcome["isolation"]["memory"])
        self.assertIn("cgroup v2", outcome["isolation"]["pids"])
        self.assertEqual(outcome["memory_meter"], "cgroup v2")

    def test_groups_are_gone_afterwards(self):
        self.python("pass")
        left = [d for d, _, _ in os.walk("/sys/fs/cgroup") if os.path.basename(d).startswith("cocoon-")]
        self.assertEqual(left, [])

    def test_without_landlock_it_runs_and_says_so(self):
        outcome = self.assert_ok(self.python("print(1)"))
        self.assertRegex(outcome["isolation"]["landlock"], "(?i)no|not|absent|lacks|missing")
        error = self.refused("run", "--require", "landlock", "--json", "--", "/bin/true")
        self.assertIn("landlock", error["line"])


if __name__ == "__main__":
    main()
