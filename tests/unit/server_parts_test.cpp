// Parts of the servers that need no server: lines, the gate, the policy, kept outputs, SHA-256.
#include "agent/agent.hpp"
#include "agent/outputs.hpp"
#include "host/os/paths.hpp"
#include "host/policy.hpp"
#include "host/policy_keys.hpp"
#include "host/sha256.hpp"
#include "host/toml.hpp"
#include "plan/text.hpp"
#include "support/temporary_folder.hpp"
#include "transport/http_gate.hpp"
#include "transport/line_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace cocoon {
namespace {

TEST(LineReader, CutsAtEndsWhereverPiecesBegin) {
  const std::string text = "\xEF\xBB\xBF{1}\r\n\n  \n{2}\n" + std::string(40, 'x') + "\n{3}\nrest";
  for (std::size_t piece = 1; piece < text.size(); ++piece) {
    transport::LineReader reader(10);
    std::vector<std::string> lines;
    std::size_t too_long = 0;
    for (std::size_t i = 0; i < text.size(); i += piece)
      for (std::string& line : reader.take(std::string_view(text).substr(i, piece), too_long)) lines.push_back(line);
    EXPECT_EQ(lines, (std::vector<std::string>{"{1}", "{2}", "{3}"})) << piece;
    EXPECT_EQ(too_long, 1U);
  }
}

TEST(Gate, KnowsItsOwnNamesOnly) {
  transport::GateOptions options;
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:8765", "[::1]:8765", "[::1]"})
    EXPECT_FALSE(check_addressed(options, host, {})) << host;
  for (const char* host : {"", "evil.example.com", "localhost.evil.com", "127.0.0.1.evil.com:80", "[::1].evil",
                           "localhost:80x", "evil.com:localhost"})
    EXPECT_TRUE(check_addressed(options, host, {})) << host;
  for (const char* origin : {"http://localhost:3000", "https://127.0.0.1", "http://[::1]:1"})
    EXPECT_FALSE(check_addressed(options, "localhost", origin)) << origin;
  for (const char* origin : {"null", "http://evil.example.com", "http://localhost.evil.com", "file://localhost", ""})
    EXPECT_TRUE(check_addressed(options, "localhost", origin)) << origin;
  options.allowed_hosts = {"box.example"};
  options.allowed_origins = {"https://app.example"};
  EXPECT_FALSE(check_addressed(options, "Box.Example:443", "https://app.example"));
  EXPECT_TRUE(check_addressed(options, "box.example", "https://app.example:444"));
}

TEST(Gate, TakesTheRightTokensOnly) {
  transport::GateOptions options;
  std::string caller;
  EXPECT_FALSE(check_token(options, {}, caller));
  auto tokens = transport::read_tokens("# mine\nann 0123456789abcdef\n\n fedcba9876543210x\n", "f");
  ASSERT_TRUE(tokens);
  options.tokens = *tokens;
  ASSERT_EQ(options.tokens.size(), 2U);
  EXPECT_FALSE(check_token(options, "Bearer 0123456789abcdef", caller));
  EXPECT_EQ(caller, "http:ann");
  EXPECT_FALSE(check_token(options, "bearer fedcba9876543210x", caller));
  for (const char* wrong :
       {"", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef ", "Basic x", "0123456789abcdef"}) {
    const auto stopped = check_token(options, wrong, caller);
    ASSERT_TRUE(stopped) << wrong;
    EXPECT_EQ(stopped->status, 401);
    EXPECT_TRUE(stopped->www_authenticate.starts_with("Bearer "));
  }
  EXPECT_FALSE(transport::read_tokens("short", "f"));
  EXPECT_FALSE(transport::read_tokens("# nothing\n", "f"));
}

TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Outputs, TheOldestMakeRoom) {
  agent::Outputs outputs(10);
  const std::string first = outputs.keep({"12345", ""});
  const std::string second = outputs.keep({"1234", "5"});
  ASSERT_NE(outputs.find(first), nullptr);
  const std::string third = outputs.keep({"x", ""});
  EXPECT_EQ(outputs.find(first), nullptr);
  EXPECT_NE(outputs.find(second), nullptr);
  EXPECT_NE(outputs.find(third), nullptr);
  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, second);
}

TEST(Outputs, AddressesAreReadWholeOrNotAtAll) {
  const auto range = agent::parse_output_uri("cocoon://output/ab/stderr?offset=3&length=4");
  ASSERT_TRUE(range);
  EXPECT_TRUE(range->id == "ab" && range->is_stderr && range->offset == 3 && range->length == 4U);
  EXPECT_EQ(agent::parse_output_uri(agent::output_uri("x", false))->id, "x");
  for (const char* wrong :
       {"", "cocoon://output/ab", "cocoon://output/ab/other", "cocoon://output/ab/stdout?x=1",
        "cocoon://output/ab/stdout?offset=-1", "cocoon://output/ab/stdout?offset=1x", "file:///etc/passwd"})
    EXPECT_FALSE(agent::parse_output_uri(wrong)) << wrong;
}

TEST(OperatorPolicy, ReadsAllOfItsKeys) {
  OperatorPolicy policy = default_policy();
  EXPECT_FALSE(policy.limits.host_network);
  const auto read = read_policy(R"(
folders = ["/usr:rw", "/tmp"]
network = "host"
commands = false
runtimes = ["python"]
drivers = ["linux"]
require = ["seccomp"]
allow_protected = true
[limits]
timeout = "2m"
memory = "1G"
pids = 9
disk = 16
output = "1M"
[runs]
concurrent = 3
queue = 0
[output]
shown = "4K"
kept = "1M"
kept_in_all = "8M"
[audit]
file = "/x"
code = true
)",
                                "p", policy);
  ASSERT_TRUE(read) << read.error().where << read.error().message;
  EXPECT_TRUE(policy.limits.host_network && !policy.commands && policy.allow_protected && policy.audit_code);
  EXPECT_EQ(policy.limits.max_timeout_ms, 120'000U);
  EXPECT_EQ(policy.limits.max_memory_kib, 1024U * 1024);
  EXPECT_EQ(policy.limits.max_disk_kib, 16U * 1024);
  EXPECT_EQ(policy.limits.max_output_bytes, 1U << 20U);
  EXPECT_EQ(policy.shown_output_bytes, 4096U);
  EXPECT_TRUE(policy.concurrent_runs == 3 && policy.queued_runs == 0 && policy.limits.max_pids == 9);
  EXPECT_TRUE(policy.folders.at(0).writable && !policy.folders.at(1).writable);
  for (const char* wrong :
       {"x = 1", "folders = [1]", "folders = [\"/\"]", "[limits]\nx = 1", "[runs]\nconcurrent = 0", "network = true",
        "commands = 1", "a = ", "limits = 1", "[limits]\npids = -1", "[limits]\nmemory = 0", "[limits]\ndisk = \"0B\"",
        "[limits]\noutput = 0", "[limits]\ntimeout = 0", "[limits]\npids = 0", "folders = [\"\"]",
        "[limits.memory]\nx = 1", "[limits]\ntimeout = 2020-01-01"})
    EXPECT_FALSE(read_policy(wrong, "p", policy)) << wrong;
}

TEST(OperatorPolicy, ErrorsNameTheLine) {
  OperatorPolicy policy = default_policy();
  EXPECT_EQ(read_policy("\n[limits]\nmemory = 0", "p", policy).error().where, "p:3 memory");
  EXPECT_EQ(read_policy("\nx = 1", "p", policy).error().where, "p:2 x");
  EXPECT_EQ(read_policy("\n\nx = ", "p", policy).error().where, "p:3");
  EXPECT_NE(read_policy("x = 1", "p", policy).error().hint.find("folders, network"), std::string::npos);
  EXPECT_NE(read_policy("[runs]\nx = 1", "p", policy).error().hint.find("concurrent, queue"), std::string::npos);
}

// The file, the flags and what agents are told come from one table; the example shows all of it.
TEST(OperatorPolicy, EveryKeyIsInTheExampleOnceAndHasAFlagOfItsOwn) {
  std::ifstream file(COCOON_SOURCE_DIR "/examples/mcp/policy.toml");
  const std::string example{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::set<std::string> seen;
  const OperatorPolicy policy = default_policy();
  for (const PolicyKey& key : policy_keys()) {
    EXPECT_NE(example.find("\n" + std::string(key.name) + " = "), std::string::npos) << key.name;
    EXPECT_TRUE(key.section.empty() || example.find("[" + std::string(key.section) + "]") != std::string::npos);
    EXPECT_TRUE(seen.insert(std::string(key.section) + "." + std::string(key.name)).second) << key.name;
    EXPECT_TRUE(key.flag.empty() || seen.insert(std::string(key.flag)).second) << key.flag;
    EXPECT_TRUE(key.told.empty() || seen.insert(std::string(key.told)).second) << key.told;
    EXPECT_TRUE(key.help.ends_with('.')) << key.name;
    EXPECT_TRUE(key.title.empty() || !key.text(policy).empty()) << key.name;
  }
  EXPECT_GE(seen.size(), 40U);
  const std::string guide = agent::policy_guide(policy);
  for (const char* line : {"Folders: none", "Time, at most: 600 s", "Memory, at most: 4096 MiB", "Commands: yes",
                           "Protected files may be changed: no", "Drivers: the strongest"})
    EXPECT_NE(guide.find(line), std::string::npos) << line;
}

TEST(OperatorPolicy, TheDefaultFolderIsNoHome) {
  OperatorPolicy policy = default_policy();
  complete(policy, "/home/ann", "/home/ann");
  EXPECT_TRUE(policy.folders.empty() && !policy.limits.current_folder);
  policy = default_policy();
  complete(policy, "/", "/home/ann");
  EXPECT_TRUE(policy.folders.empty());
  policy = default_policy();
  complete(policy, "/home/ann/project", "/home/ann");
  EXPECT_TRUE(policy.folders.size() == 1 && !policy.folders[0].writable && policy.limits.current_folder);
}

TEST(OperatorPolicy, EveryPathOfARequestIsHeldAgainstIt) {
  OperatorPolicy policy = default_policy();
  policy.folders = {{"/usr/lib", false}, {"/tmp", true}};
  policy.folders_given = true;
  const auto allowed = [&](const Request& request) { return check_allowed(request, {}, policy, "/usr").has_value(); };
  Request request;
  request.command = {"true"};
  EXPECT_TRUE(allowed(request));
  for (const auto& [path, fine] : {std::pair("/usr/lib", true),
                                   {"lib", true},
                                   {"/usr/lib/../bin", false},
                                   {"/usr", false},
                                   {"/usr/library", false},
                                   {"/etc/shadow", false},
                                   {"/no/such", false},
                                   {"/tmp/new", true}}) {
    request = Request();
    request.ro = {path};
    EXPECT_EQ(allowed(request), fine) << path;
    request = Request();
    request.copy = {path};
    EXPECT_EQ(allowed(request), fine) << path;
    request = Request();
    request.mounts = {{path, "/x", false}};
    EXPECT_EQ(allowed(request), fine) << path;
    request = Request();
    request.rootfs = path;
    EXPECT_EQ(allowed(request), fine) << path;
  }
  for (const auto& [path, fine] : {std::pair("/usr/lib", false), {"/tmp", true}, {"/etc", false}}) {
    request = Request();
    request.work = path;
    EXPECT_EQ(allowed(request), fine) << path;
    request = Request();
    request.temp = path;
    EXPECT_EQ(allowed(request), fine) << path;
    request = Request();
    request.mounts = {{path, "/x", true}};
    EXPECT_EQ(allowed(request), fine) << path;
    for (const char* profile : {"build", "strict"}) {
      request = Request();
      request.rootfs = path;
      request.profile = profile;
      if (std::string_view(profile) == "strict") request.readonly = false;
      EXPECT_EQ(allowed(request), fine) << path;
    }
  }
}

TEST(OperatorPolicy, StepsAreHeldAgainstItToo) {
  OperatorPolicy policy = default_policy();
  policy.folders = {{"/usr/lib", false}};
  policy.runtimes = {"python"};
  Request request;
  request.steps.resize(2);
  for (Request& step : request.steps) step.runtime = "py";
  request.steps[0].file = "/usr/lib/x";
  request.steps[1].file = "/usr/lib/y";
  const std::vector<std::string> runtimes{"python", "python"};
  EXPECT_TRUE(check_allowed(request, runtimes, policy, "/"));
  request.steps[1].file = "/etc/shadow";
  const auto refused = check_allowed(request, runtimes, policy, "/");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "step 2: file /etc/shadow");
  Facts facts;
  facts.paths = {os::path_fact("/usr/lib/x", "/"), os::path_fact("/etc/shadow", "/")};
  EXPECT_EQ(check_allowed_paths(request, facts, policy).error().where, "step 2: file /etc/shadow");
  facts.paths.clear();
  EXPECT_FALSE(check_allowed_paths(request, facts, policy)) << "what nobody looked up is not allowed";
  request.steps[1].file = "/usr/lib/y";
  EXPECT_EQ(check_allowed(request, std::vector<std::string>{"python", "sh"}, policy, "/").error().where,
            "step 2: runtime py");
  policy.commands = false;
  request.steps[0] = Request();
  request.steps[0].command = {"true"};
  EXPECT_EQ(check_allowed(request, runtimes, policy, "/").error().where, "step 1: command");
}

// A guest may plant links in what it can write, and ask through them what else there is on the host.
TEST(OperatorPolicy, WhetherAForbiddenPathExistsIsNotTold) {
  const TemporaryFolder folder;
  for (const char* name : {"open/sub", "shut/there"}) folder.make(name);
  folder.write("shut/file", "x");
  const auto link = [&](const std::string& name, const std::string& to) {
    std::filesystem::create_symlink(to, folder.at("open/" + name));
  };
  OperatorPolicy policy = default_policy();
  policy.folders = {{folder.at("open"), true}};
  const auto answer = [&](const std::string& path) {
    std::string answers;
    for (int field = 0; field < 3; ++field) {
      Request request;
      if (field == 0) request.ro = {path};
      if (field == 1) request.work = path;
      if (field == 2) request.file = path;
      const auto checked = check_allowed(request, {}, policy, folder.at("open"));
      Facts facts;
      facts.paths = {os::path_fact(path, folder.at("open"))};
      const auto again = check_allowed_paths(request, facts, policy);
      answers += checked ? "yes " : checked.error().code + " ";
      answers += again ? "yes;" : again.error().code + ";";
    }
    return answers;
  };
  const std::string yes = "yes yes;yes yes;yes yes;";
  const std::string no = "policy policy;policy policy;policy policy;";
  EXPECT_EQ(answer("sub"), yes);
  EXPECT_EQ(answer("new"), yes);
  EXPECT_EQ(answer("new/deep/er"), yes) << "what is missing in an allowed folder is the planner's to tell";
  link("inner", "sub/../new");
  EXPECT_EQ(answer("inner"), yes);
  link("loop", "loop");
  EXPECT_EQ(answer("loop"), no);
  int number = 0;
  for (const std::string target :
       {"../shut/there", "../shut/missing", "../shut/missing/deeper", "../shut/file/below", "../missing"}) {
    const std::string name = "link" + std::to_string(++number);
    link(name, target);
    EXPECT_EQ(answer(name), no) << target;
    EXPECT_EQ(answer(folder.at("open/" + name)), no) << target;
    EXPECT_EQ(answer(name + "/more"), no) << target;
    EXPECT_EQ(answer("sub/../" + target), no) << target;
    link("far" + std::to_string(number), folder.at("open/" + name));
    EXPECT_EQ(answer("far" + std::to_string(number)), no) << target;
  }
  // The way out of a folder by ".." exists only if the folder does.
  for (const std::string place : {"there", "missing"}) {
    link("through-" + place, "../shut/" + place + "/../../open/sub");
    for (const std::string& path : {"through-" + place, folder.at("shut/" + place + "/../../open/sub")}) {
      Request request;
      request.ro = {path};
      EXPECT_FALSE(check_allowed(request, {}, policy, folder.at("open"))) << path;
    }
  }
}

TEST(OperatorPolicy, CallsNameNoDriverUnlessItIsListed) {
  OperatorPolicy policy = default_policy();
  Request request;
  request.command = {"true"};
  EXPECT_TRUE(check_allowed(request, {}, policy, "/"));
  for (const char* name : {"dryrun", "linux"}) {
    request.driver = name;
    EXPECT_EQ(check_allowed(request, {}, policy, "/").error().code, "policy");
  }
  policy.drivers = {"linux", "other"};
  EXPECT_TRUE(check_allowed(request, {}, policy, "/"));
  request.driver = "dryrun";
  EXPECT_EQ(check_allowed(request, {}, policy, "/").error().hint, "allowed: linux, other");
  EXPECT_EQ(host_rules(policy).drivers, policy.drivers);
}

TEST(OperatorPolicy, FoldersThatGuestsMayWriteToAreGuestMade) {
  OperatorPolicy policy = default_policy();
  policy.folders = {{"/srv/out", true}, {"/srv/in", false}, {"/usr", true}};
  const HostRules rules = host_rules(policy);
  EXPECT_EQ(rules.guest_folders, (std::vector<std::string>{"/srv/out", "/usr"}));
  // No request is ever given the system to write to.
  const std::vector<std::string> folders = earlier_guests(rules.guest_folders, "/", {});
  EXPECT_TRUE(contains(folders, "/srv/out"));
  EXPECT_FALSE(contains(folders, "/usr") || contains(folders, "/srv/in"));
}

TEST(Toml, IsReadWithItsLinesAndBecomesJson) {
  const auto tree = parse_toml("a = 'x'\n[b]\nc = [1, 2.5,\n true]\nd = 2020-01-01\n");
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->items.size(), 2U);
  EXPECT_EQ(tree->items[0].text, "x");
  const TomlNode& b = tree->items[1];
  EXPECT_TRUE(b.kind == TomlNode::Kind::table && b.key == "b" && b.items[0].line == 3 && b.items[1].line == 5);
  EXPECT_EQ(*toml_to_json("a = 'x'\n[b]\nc = [1, 2.5, true]\n"), R"({"a":"x","b":{"c":[1,2.5,true]}})");
  EXPECT_EQ(toml_to_json("\nd = 2020-01-01\n").error().where, "line 2");
  EXPECT_EQ(toml_to_json("\nd = -1.5\n").error().where, "line 2");
  EXPECT_EQ(parse_toml("\n\nd = \n").error().where, "line 3");
}

}  // namespace
}  // namespace cocoon
