// Small pure helpers around HTTP's texts.
#pragma once

#include "mcp/http_rules.hpp"
#include "transport/http_app.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cocoon::transport {

HttpReply json_reply(int status, std::string json, std::vector<std::pair<std::string, std::string>> headers);
HttpReply text_reply(int status, std::string text);
// Answers with an error of the protocol.
void refuse(Exchange& exchange, int status, const std::string& message,
            std::vector<std::pair<std::string, std::string>> headers = {});

std::string_view path_of(std::string_view target);
std::optional<std::string> query_value(std::string_view target, std::string_view name);

bool is_json(const std::optional<std::string>& content_type);
// Whether an Accept header takes a media type; without the header, anything is fine.
bool accepts(const std::optional<std::string>& accept, std::string_view media_type);

mcp::HttpHeaders protocol_headers(const HttpRequest& request);

// One value in Prometheus' text format.
std::string metric(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value);

}  // namespace cocoon::transport
