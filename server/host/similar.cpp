// Edit distance with transpositions, which are the commonest typing mistake.
#include "host/similar.hpp"

#include <algorithm>
#include <vector>

namespace cocoon {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string similar_name(std::string_view name, std::span<const std::string> candidates) {
  // Longer words than any of ours need no comparing, and what is typed here may be of any length.
  if (name.empty() || name.size() > 64) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = candidate.starts_with(name) ? 1 : distance(name, candidate);
    if (d < best_distance) {
      best_distance = d;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  if (std::string best = similar_name(name, candidates); !best.empty()) return "did you mean \"" + best + "\"?";
  std::string list;
  for (const std::string& candidate : candidates) list.append(list.empty() ? "one of " : ", ").append(candidate);
  return list;
}

}  // namespace cocoon
