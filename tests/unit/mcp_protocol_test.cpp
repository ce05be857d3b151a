// The protocol as a function of messages: eras, errors, ids, cancelling, progress, pages, and what each revision leaves out.
#include "mcp/base64.hpp"
#include "mcp/protocol.hpp"

#include <gtest/gtest.h>

namespace cocoon::mcp {
namespace {

Catalog make_catalog() {
  Catalog catalog;
  catalog.server_name = "it";
  catalog.server_version = "1";
  catalog.instructions = "Use it.";
  const Json schema = {{"type", "object"}};
  for (const char* name : {"one", "two", "three"})
    catalog.tools.push_back({name, "Title", "Does it", schema, schema, {{"readOnlyHint", true}}});
  catalog.tools[1].input_schema["properties"] = {{"region", {{"type", "string"}, {"x-mcp-header", "Region"}}}};
  catalog.resources.push_back({"it://doc", "doc", "Doc", "A document", "text/plain"});
  catalog.prompts.push_back({"ask", "", "Asks", {}});
  catalog.completions = true;
  catalog.logging = true;
  catalog.page_size = 2;
  return catalog;
}

class ProtocolTest : public ::testing::Test {
 protected:
  Effects tell(const std::string& text) { return protocol_.receive(text); }

  Json ask(const std::string& method, const std::string& params, const HttpHeaders* headers = nullptr) {
    const Effects effects = protocol_.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(++id_) + R"(,"method":")" +
                                                  method + R"(","params":)" + params + "}",
                                              headers);
    EXPECT_EQ(effects.send.size(), 1U) << method;
    if (effects.send.empty()) return {};
    last_ = effects.send.front();
    return Json::parse(last_.text);
  }

  Json open(const std::string& version) {
    return ask("initialize", R"({"protocolVersion":")" + version + R"(","capabilities":{},"clientInfo":{"name":"t"}})");
  }

  Work start(const std::string& text) {
    const Effects effects = tell(text);
    EXPECT_EQ(effects.start.size(), 1U) << text << (effects.send.empty() ? "" : effects.send[0].text);
    return effects.start.empty() ? Work{} : effects.start.front();
  }

  static int code(const Json& message) { return message.contains("error") ? message["error"]["code"].get<int>() : 0; }

  static Reply tool_reply() {
    Reply reply;
    reply.result = {{"content", Json::array({Json{{"type", "text"}, {"text", "x"}},
                                             Json{{"type", "resource_link"}, {"uri", "it://x"}, {"name", "x"}}})},
                    {"structuredContent", {{"a", 1}}}};
    return reply;
  }

  Catalog catalog_ = make_catalog();
  std::uint64_t calls_ = 0;
  Protocol protocol_{catalog_, calls_};
  int id_ = 100;
  Outgoing last_;
};

const std::string kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

TEST_F(ProtocolTest, AgreesOnWhatTheClientSpeaksOrOnTheLatest) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_EQ(open(version)["result"]["protocolVersion"], version);
  for (const char* version : {"2026-07-28", "1.0", ""})
    EXPECT_EQ(open(version)["result"]["protocolVersion"], "2025-11-25");
  EXPECT_FALSE(open("2024-11-05")["result"]["capabilities"].contains("completions"));
}

TEST_F(ProtocolTest, EchoesIdsVerbatimAndNeverAnswersNotifications) {
  for (const char* id : {"1", "\"1\"", "0", "-5", "\"\"", "18446744073709551615"}) {
    const Effects effects = tell(std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"method":"ping"})");
    ASSERT_EQ(effects.send.size(), 1U) << id;
    EXPECT_EQ(effects.send[0].text, std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{}})");
  }
  for (const char* method : {"ping", "notifications/initialized", "no/such", "notifications/roots/list_changed"})
    EXPECT_TRUE(tell(std::string(R"({"jsonrpc":"2.0","method":")") + method + "\"}").send.empty());
}

TEST_F(ProtocolTest, RefusesWhatIsNoMessageWithoutInventingAnId) {
  for (const char* text : {"", "{", "[1", "\"\xff\"", R"({"a":1,"a":2})"}) {
    const Effects effects = tell(text);
    ASSERT_EQ(effects.send.size(), 1U) << text;
    EXPECT_EQ(effects.send[0].error_code, code_parse) << text;
    EXPECT_FALSE(Json::parse(effects.send[0].text).contains("id"));
  }
  for (const char* text : {"1", "[]", R"({"jsonrpc":"2.0","id":null,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", R"({"id":1,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})",
                           R"({"jsonrpc":"2.0","id":1,"method":"x","params":null})"}) {
    const Effects effects = tell(text);
    ASSERT_EQ(effects.send.size(), 1U) << text;
    EXPECT_EQ(effects.send[0].error_code, code_invalid_request) << text;
    EXPECT_TRUE(effects.send[0].is_rejected);
  }
  EXPECT_TRUE(tell(R"({"jsonrpc":"2.0","id":9,"result":{}})").send.empty());
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(tell(deep).send.at(0).error_code, code_parse);
}

TEST_F(ProtocolTest, TakesBatchesFromOldRevisionsOnly) {
  const std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}])";
  open("2025-06-18");
  EXPECT_EQ(tell(batch).send.at(0).error_code, code_invalid_request);
  open("2025-03-26");
  EXPECT_EQ(tell(batch).send.size(), 2U);
  EXPECT_EQ(tell(R"([{"jsonrpc":"2.0","id":1,"method":"initialize"}])").send.at(0).error_code, code_invalid_request);
  std::string long_batch = "[1";
  for (int i = 0; i < 100; ++i) long_batch += ",1";
  EXPECT_EQ(tell(long_batch + "]").send.size(), 1U);
}

TEST_F(ProtocolTest, PagesFollowTheirCursors) {
  open("2025-11-25");
  Json first = ask("tools/list", "{}")["result"];
  ASSERT_EQ(first["tools"].size(), 2U);
  const std::string cursor = first["nextCursor"];
  Json second = ask("tools/list", R"({"cursor":")" + cursor + "\"}")["result"];
  EXPECT_EQ(second["tools"].size(), 1U);
  EXPECT_FALSE(second.contains("nextCursor"));
  EXPECT_EQ(ask("tools/list", R"({"cursor":""})")["result"], first);
  for (const char* wrong : {R"("x")", R"("at-3")", R"("at-0")", "7", "null"})
    EXPECT_EQ(code(ask("tools/list", std::string(R"({"cursor":)") + wrong + "}")), code_bad_params) << wrong;
}

TEST_F(ProtocolTest, WritesListsAsEachRevisionKnowsThem) {
  open("2024-11-05");
  Json old = ask("tools/list", "{}")["result"]["tools"][0];
  EXPECT_FALSE(old.contains("annotations") || old.contains("outputSchema") || old.contains("title"));
  open("2025-06-18");
  Json young = ask("tools/list", "{}")["result"]["tools"][0];
  EXPECT_TRUE(young.contains("annotations") && young.contains("outputSchema") && young.contains("title"));
  EXPECT_EQ(to_text(ask("prompts/list", "{}")).find("null"), std::string::npos);
}

TEST_F(ProtocolTest, FinishedWorkIsAnsweredOnceAndCancelledWorkNever) {
  open("2025-11-25");
  const Work first = start(R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"one"}})");
  EXPECT_TRUE(first.arguments.is_object());
  const Effects done = protocol_.finish(first.call, tool_reply());
  ASSERT_EQ(done.send.size(), 1U);
  EXPECT_EQ(Json::parse(done.send[0].text)["id"], "a");
  EXPECT_TRUE(protocol_.finish(first.call, tool_reply()).send.empty());

  const Work second = start(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one"}})");
  EXPECT_TRUE(
      tell(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})").cancel.empty());
  const Effects cancelled = tell(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(cancelled.cancel, std::vector<std::uint64_t>{second.call});
  EXPECT_TRUE(cancelled.send.empty());
  EXPECT_TRUE(protocol_.progress(second.call, 1, {}, "late").send.empty());
  EXPECT_TRUE(protocol_.finish(second.call, tool_reply()).send.empty());
  EXPECT_TRUE(protocol_.is_idle());
}

TEST_F(ProtocolTest, AnIdThatIsInUseIsRefused) {
  open("2025-11-25");
  const Work work = start(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one"}})");
  EXPECT_EQ(tell(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").send.at(0).error_code, code_invalid_request);
  EXPECT_EQ(protocol_.finish(work.call, tool_reply()).send.size(), 1U);
  EXPECT_EQ(tell(R"({"jsonrpc":"2.0","id":7,"method":"ping"})").send.at(0).error_code, 0);
}

TEST_F(ProtocolTest, ProgressGrowsAndStopsWithTheAnswer) {
  open("2025-11-25");
  const Work work =
      start(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one","_meta":{"progressToken":0}}})");
  EXPECT_TRUE(work.wants_progress);
  const Effects first = protocol_.progress(work.call, 1, 10, "text");
  ASSERT_EQ(first.send.size(), 1U);
  EXPECT_EQ(
      first.send[0].text,
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":0,"progress":1.0,"total":10.0,"message":"text"}})");
  EXPECT_TRUE(protocol_.progress(work.call, 1, 10, "again").send.empty());
  EXPECT_EQ(protocol_.progress(work.call, 2, 10, "more").send.size(), 1U);
  protocol_.finish(work.call, tool_reply());
  EXPECT_TRUE(protocol_.progress(work.call, 3, 10, "late").send.empty());
  const Work silent = start(R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"one"}})");
  EXPECT_FALSE(silent.wants_progress);
  EXPECT_TRUE(protocol_.progress(silent.call, 1, {}, "unasked").send.empty());
}

TEST_F(ProtocolTest, ResultsHaveWhatTheRevisionKnows) {
  for (const auto& [version, structured] : {std::pair("2025-03-26", false), {"2025-06-18", true}}) {
    open(version);
    const Work work = start(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one"}})");
    const Json result = Json::parse(protocol_.finish(work.call, tool_reply()).send.at(0).text)["result"];
    EXPECT_EQ(result.contains("structuredContent"), structured);
    EXPECT_EQ(result["content"].size(), structured ? 2U : 1U);
    EXPECT_FALSE(result.contains("resultType"));
  }
}

TEST_F(ProtocolTest, TellsUnknownThingsFromBadParameters) {
  open("2025-11-25");
  EXPECT_EQ(code(ask("no/such", "{}")), code_no_method);
  EXPECT_EQ(code(ask("tools/call", R"({"name":"four"})")), code_bad_params);
  EXPECT_EQ(code(ask("tools/call", R"({"name":7})")), code_bad_params);
  EXPECT_EQ(code(ask("tools/call", R"({"name":"one","arguments":[]})")), code_bad_params);
  EXPECT_EQ(code(ask("prompts/get", R"({"name":"none"})")), code_bad_params);
  EXPECT_EQ(code(ask("resources/read", "{}")), code_bad_params);
  EXPECT_EQ(code(ask("completion/complete", "{}")), code_bad_params);
  EXPECT_EQ(code(ask("logging/setLevel", R"({"level":"loud"})")), code_bad_params);
  EXPECT_EQ(code(ask("resources/subscribe", R"({"uri":"it://doc"})")), code_no_method);
  const Work work = start(R"({"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"it://none"}})");
  EXPECT_EQ(protocol_.finish(work.call, {{}, RpcError{code_no_resource, "none", {}}}).send.at(0).error_code, -32002);
}

TEST_F(ProtocolTest, LogsOnlyWhatWasAskedFor) {
  open("2025-11-25");
  const Work work = start(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one"}})");
  EXPECT_TRUE(protocol_.log(work.call, "emergency", "x").send.empty());
  ask("logging/setLevel", R"({"level":"warning"})");
  EXPECT_TRUE(protocol_.log(work.call, "info", "x").send.empty());
  EXPECT_EQ(protocol_.log(work.call, "error", "x").send.size(), 1U);
  const Work modern = start(R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"one",)" + kMeta + "}}");
  EXPECT_TRUE(protocol_.log(modern.call, "error", "x").send.empty());
}

TEST_F(ProtocolTest, ModernRequestsSayAllAboutThemselves) {
  Json found = ask("server/discover", "{" + kMeta + "}")["result"];
  EXPECT_EQ(found["supportedVersions"], Json::array({"2026-07-28"}));
  EXPECT_EQ(found["resultType"], "complete");
  EXPECT_EQ(found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "it");
  EXPECT_TRUE(found.contains("ttlMs") && found.contains("cacheScope"));
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe"})
    EXPECT_EQ(code(ask(method, "{" + kMeta + "}")), code_no_method) << method;
  const Work work = start(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one",)" + kMeta + "}}");
  const Json result = Json::parse(protocol_.finish(work.call, tool_reply()).send.at(0).text)["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_TRUE(result.contains("structuredContent"));
  const Work read =
      start(R"({"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"it://none",)" + kMeta + "}}");
  EXPECT_EQ(protocol_.finish(read.call, {{}, RpcError{code_no_resource, "none", {}}}).send.at(0).error_code, -32602);
}

TEST_F(ProtocolTest, ModernRequestsThatSayTooLittleAreRejected) {
  const auto meta = [](const std::string& version, const std::string& rest) {
    return R"({"_meta":{"io.modelcontextprotocol/protocolVersion":)" + version + rest + "}}";
  };
  const std::string capabilities = R"(,"io.modelcontextprotocol/clientCapabilities":{})";
  EXPECT_EQ(code(ask("tools/list", meta("\"2026-07-28\"", ""))), code_bad_params);
  EXPECT_TRUE(last_.is_rejected);
  EXPECT_EQ(code(ask("tools/list", meta("7", capabilities))), code_bad_params);
  EXPECT_EQ(
      code(ask("tools/list", meta("\"2026-07-28\"", capabilities + R"(,"io.modelcontextprotocol/logLevel":"loud")"))),
      code_bad_params);
  Json unknown = ask("tools/list", meta("\"2099-01-01\"", capabilities));
  EXPECT_EQ(code(unknown), code_unsupported_version);
  EXPECT_EQ(unknown["error"]["data"]["requested"], "2099-01-01");
  EXPECT_EQ(unknown["error"]["data"]["supported"], Json::array({"2026-07-28"}));
  // What one request said is not remembered for the next.
  ask("tools/list", "{" + kMeta + "}");
  EXPECT_EQ(ask("ping", "{}")["result"], Json::object());
}

TEST_F(ProtocolTest, HeadersHaveToAgreeWithTheBody) {
  HttpHeaders headers;
  headers.protocol_version = "2026-07-28";
  headers.method = "tools/list";
  EXPECT_EQ(code(ask("tools/list", "{" + kMeta + "}", &headers)), 0);
  headers.method = "Tools/List";
  EXPECT_EQ(code(ask("tools/list", "{" + kMeta + "}", &headers)), code_header_mismatch);
  headers.method.reset();
  EXPECT_EQ(code(ask("tools/list", "{" + kMeta + "}", &headers)), code_header_mismatch);
  headers.method = "prompts/get";
  for (const auto& [name, expected] : {std::pair("none", code_bad_params),
                                       {"other", code_header_mismatch},
                                       {"=?base64?bm9uZQ==?=", code_bad_params},
                                       {"=?base64?%%%%?=", code_header_mismatch}}) {
    headers.name = name;
    EXPECT_EQ(code(ask("prompts/get", R"({"name":"none",)" + kMeta + "}", &headers)), expected) << name;
  }
  headers.protocol_version = "2025-11-25";
  EXPECT_EQ(code(ask("prompts/get", R"({"name":"none",)" + kMeta + "}", &headers)), code_header_mismatch);

  // No claim in the body, but one in the headers.
  headers = {};
  headers.protocol_version = "2026-07-28";
  EXPECT_EQ(code(ask("initialize", "{}", &headers)), code_header_mismatch);
  EXPECT_EQ(code(ask("tools/list", "{}", &headers)), code_bad_params);
  EXPECT_TRUE(last_.is_rejected);
  headers.protocol_version = "1999-01-01";
  EXPECT_EQ(code(ask("tools/list", "{}", &headers)), code_invalid_request);
  headers.protocol_version = "2025-06-18";
  EXPECT_EQ(code(ask("tools/list", "{}", &headers)), 0);
}

TEST_F(ProtocolTest, MarkedArgumentsAreRepeatedAsHeaders) {
  HttpHeaders headers;
  headers.protocol_version = "2026-07-28";
  headers.method = "tools/call";
  headers.name = "two";
  const auto call = [&](const std::string& arguments) {
    return protocol_.receive(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"two","arguments":)" +
                                 arguments + "," + kMeta + "}}",
                             &headers);
  };
  EXPECT_EQ(call(R"({"region":"eu"})").send.at(0).error_code, code_header_mismatch);
  headers.params = {{"region", "us"}};
  EXPECT_EQ(call(R"({"region":"eu"})").send.at(0).error_code, code_header_mismatch);
  EXPECT_EQ(call("{}").send.at(0).error_code, code_header_mismatch);
  headers.params = {{"region", "eu"}};
  EXPECT_EQ(call(R"({"region":"eu"})").start.size(), 1U);
}

TEST_F(ProtocolTest, StatusesOfAnswers) {
  EXPECT_EQ(http_status(0, false, true), 200);
  EXPECT_EQ(http_status(code_no_method, false, true), 404);
  EXPECT_EQ(http_status(code_no_method, false, false), 200);
  EXPECT_EQ(http_status(code_bad_params, false, true), 200);
  EXPECT_EQ(http_status(code_bad_params, true, true), 400);
  EXPECT_EQ(http_status(code_missing_capability, false, true), 400);
}

TEST_F(ProtocolTest, ClosingCancelsEverything) {
  start(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"one"}})");
  start(R"({"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"one"}})");
  EXPECT_EQ(protocol_.close().cancel.size(), 2U);
  EXPECT_TRUE(protocol_.is_idle());
}

TEST(Base64, GoesThereAndBack) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(to_base64("Man"), "TWFu");
  for (const char* wrong : {"a", "ab=c", "====", "TW Fu", "TWF\n"}) EXPECT_FALSE(from_base64(wrong)) << wrong;
}

}  // namespace
}  // namespace cocoon::mcp
