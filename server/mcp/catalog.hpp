// What a server offers, as data: tools, resources, prompts. The same for every connection, whoever asks.
#pragma once

#include "mcp/json.hpp"
#include "mcp/version.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::mcp {

struct Tool {
  std::string name;  // letters, digits, '-' and '_', short: clients put the server's name before it, and APIs allow 64
  std::string title;
  std::string description;
  Json input_schema;   // its root is an object; no $ref and no combinators at the top, which some clients drop
  Json output_schema;  // null: none
  Json annotations;
  Json meta{};  // null: none
};

struct Resource {
  std::string uri;  // or a template of URIs (RFC 6570)
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
};

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  Json arguments;  // a list; null: none
};

struct Catalog {
  std::string server_name;
  std::string server_title;
  std::string server_version;
  std::string instructions;  // for the model; clients cut it at about 2 KB
  std::vector<Tool> tools;
  std::vector<Resource> resources;
  std::vector<Resource> templates;
  std::vector<Prompt> prompts;
  bool completions = false;
  bool logging = false;
  bool list_changed = false;  // and subscriptions to resources; until 2025-11-25
  std::size_t page_size = 100;
  std::uint64_t ttl_ms = 60'000;  // how long a list may be cached (2026-07-28)

  const Tool* tool(std::string_view tool_name) const {
    for (const Tool& entry : tools)
      if (entry.name == tool_name) return &entry;
    return nullptr;
  }
};

// One entry of a list, with what that revision knows of it.
Json to_json(const Tool& tool, Version version);
Json to_json(const Resource& resource, Version version, bool is_template);
Json to_json(const Prompt& prompt, Version version);

Json capabilities_json(const Catalog& catalog, Version version);
Json server_info_json(const Catalog& catalog, Version version);

}  // namespace cocoon::mcp
