// Fuzzer: the protocol, one line of the input a message or an event. What comes out is always a message that a client takes.
#include "fuzz.hpp"
#include "mcp/protocol.hpp"

#include <vector>

namespace cocoon::mcp {
namespace {

const Catalog& catalog() {
  static const Catalog made = [] {
    Catalog c;
    c.server_name = "it";
    c.server_version = "1";
    const Json schema = {{"type", "object"},
                         {"properties", {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}}}};
    c.tools = {{"one", "", "Does it", schema, schema, {}}, {"two", "", "Does it", schema, {}, {}}};
    c.resources = {{"it://doc", "doc", "", "", ""}};
    c.prompts = {{"ask", "", "", {}}};
    c.completions = c.logging = true;
    c.page_size = 1;
    return c;
  }();
  return made;
}

void check(const Effects& effects, std::size_t requests) {
  std::size_t answers = 0;
  for (const Outgoing& message : effects.send) {
    fuzz::demand(message.text.find('\n') == std::string::npos, "a message is one line", message.text);
    const Result<Json> json = parse_json(message.text);
    fuzz::demand(json.has_value(), "a message can be read", message.text);
    fuzz::demand(text_of(*json, "jsonrpc") == "2.0", "a message is JSON-RPC", message.text);
    const Json* id = find(*json, "id");
    fuzz::demand(id == nullptr || id->is_string() || id->is_number_integer(), "an id is no null", message.text);
    fuzz::demand((json->contains("result") || json->contains("error")) == message.is_answer, "an answer is one",
                 message.text);
    answers += message.is_answer ? 1 : 0;
  }
  fuzz::demand(answers + effects.start.size() <= requests, "nothing is answered twice");
}

}  // namespace
}  // namespace cocoon::mcp

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace cocoon::mcp;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::uint64_t calls = 0;
  Protocol protocol(catalog(), calls);
  std::vector<std::uint64_t> started;
  HttpHeaders headers;
  headers.protocol_version = "2026-07-28";
  headers.method = "tools/call";
  headers.name = "one";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line == "finish" && !started.empty()) {
      check(protocol.finish(started.back(), {{{"content", Json::array()}, {"structuredContent", {{"a", "\xff"}}}}, {}}),
            1);
      started.pop_back();
      continue;
    }
    if (line == "progress" && !started.empty()) {
      check(protocol.progress(started.back(), 1, 2, std::string(line)), 1);
      continue;
    }
    const bool over_http = line.starts_with("h");
    const Effects effects = protocol.receive(line.substr(over_http ? 1 : 0), over_http ? &headers : nullptr);
    check(effects, 101);
    for (const Work& work : effects.start) started.push_back(work.call);
  }
  cocoon::fuzz::demand(protocol.close().cancel.size() <= calls, "no work is cancelled that was not started");
  cocoon::fuzz::demand(protocol.is_idle(), "after the end nothing goes on");
  return 0;
}
