// The protocol of one connection as a pure function: a message or an event in, messages and work out. No socket, thread,
// clock or file.
#pragma once

#include "mcp/backend.hpp"
#include "mcp/catalog.hpp"
#include "mcp/http_rules.hpp"
#include "mcp/rpc.hpp"
#include "mcp/version.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cocoon::mcp {

// A message for the client.
struct Outgoing {
  std::uint64_t call = 0;    // the work that it is about; 0: none
  std::string text;          // one line, without its end
  bool is_answer = false;    // the last that its request gets
  int error_code = 0;        // of an answer that is an error
  bool is_rejected = false;  // the request as such was no good, whatever it asked for
  bool is_modern = false;
};

// What the transport has to do.
struct Effects {
  std::vector<Outgoing> send;
  std::vector<Work> start;
  std::vector<std::uint64_t> cancel;  // works whose end nobody waits for any more
  bool opened = false;                // `initialize` was answered
};

class Protocol {
 public:
  // Both outlive the Protocol. calls counts the works of all connections.
  Protocol(const Catalog& catalog, std::uint64_t& calls) : catalog_(catalog), calls_(calls) {}

  // For a connection that never says initialize, and for tests.
  void assume(Version version) { version_ = version; }
  std::optional<Version> version() const { return version_; }

  // headers: of the HTTP request that brought the text; NULL where there is no HTTP.
  Effects receive(std::string_view text, const HttpHeaders* headers = nullptr) {
    return receive(parse_json(text), headers);
  }
  Effects receive(Result<Json> json, const HttpHeaders* headers = nullptr);

  // Events of a work that receive told to start. Those of a work that is over or cancelled come to nothing.
  Effects progress(std::uint64_t call, double value, std::optional<double> total, const std::string& message);
  Effects log(std::uint64_t call, std::string_view level, const Json& data);
  Effects finish(std::uint64_t call, Reply reply);

  // The client has gone: every work that still goes on.
  Effects close();
  // The client gave up on one request; it gets no answer.
  Effects abandon(std::uint64_t call);

  bool is_idle() const { return in_flight_.empty(); }

 private:
  // What one request says about itself, or what its connection agreed on.
  struct Context {
    Version version = latest_legacy;
    Json capabilities;  // the client's
    std::string log_level;
  };
  struct InFlight {
    Json id;
    WorkKind kind = WorkKind::call_tool;
    std::string name;
    Json progress_token;  // null: wants none
    std::optional<double> last_progress;
    Context context;
  };

  void receive_one(Json&& json, const HttpHeaders* headers, bool in_batch, Effects& effects);
  void receive_batch(Json&& batch, const HttpHeaders* headers, Effects& effects);
  void request(const Message& message, const Context& context, Effects& effects);
  void notified(const Message& message, Effects& effects);
  std::optional<RpcError> read_context(const Message& message, Context& context) const;
  std::optional<Json> answer_at_once(const Message& message, const Context& context, std::optional<RpcError>& error);
  std::optional<RpcError> make_work(const Message& message, const Context& context, Work& work) const;
  void start(const Message& message, const Context& context, Work work, Effects& effects);

  Json initialize(const Json& params);
  Json discover() const;
  template <typename Entry, typename Write>
  Json page(const char* key, const std::vector<Entry>& entries, const Json& params, const Context& context, Write write,
            std::optional<RpcError>& error) const;
  Json completed(Json result, const Context& context, bool may_be_cached) const;

  const Catalog& catalog_;
  std::uint64_t& calls_;
  std::optional<Version> version_;  // agreed on by initialize
  Json capabilities_;               // the client's, likewise
  std::string log_level_;           // set by logging/setLevel; empty: none wanted
  std::map<std::uint64_t, InFlight> in_flight_;
  std::map<std::string, std::uint64_t> calls_by_id_;
};

}  // namespace cocoon::mcp
