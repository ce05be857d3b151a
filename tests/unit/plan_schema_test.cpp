// The published schemas say what the code accepts: for every document of the cases, and for every way of spoiling one
// value of it, schema and parser agree.
#include "support/files.hpp"
#include "support/plan_cases.hpp"
#include "support/schema.hpp"

#include <cocoon/outcome.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>

namespace cocoon::test {
namespace {

using Json = nlohmann::json;
using Accepts = std::function<std::string(const std::string&)>;  // empty: yes

Json load_schema(const std::string& name) {
  return Json::parse(read_file(source_folder() / "sdk" / "schema" / (name + ".schema.json")));
}

template <auto Parse>
std::string refusal(const std::string& text) {
  const auto value = Parse(text);
  return value ? "" : error_json(value.error());
}

// A document with one item of each shape in its lists: more of a shape would only repeat what is tried.
Json essence(const Json& value) {
  if (!value.is_structured()) return value;
  Json result = value.is_object() ? Json::object() : Json::array();
  std::vector<std::string> shapes;
  for (const auto& [key, item] : value.items()) {
    if (value.is_object()) {
      result[key] = essence(item);
      continue;
    }
    std::string shape = item.type_name();
    if (item.is_object()) {
      shape = item.value("kind", "");
      for (const auto& [name, each] : item.items()) shape += " " + name;
    }
    if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) continue;
    shapes.push_back(shape);
    result.push_back(essence(item));
  }
  return result;
}

// All places of a document.
void collect(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& places) {
  places.push_back(at);
  if (value.is_object())
    for (const auto& [key, item] : value.items()) collect(item, at / key, places);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, places);
}

class Agreement {
 public:
  Agreement(Json schema, Accepts parser) : schema_(std::move(schema)), parser_(std::move(parser)) {}

  void holds_for(const Json& document, const std::string& what) {
    EXPECT_EQ(validate(schema_, document), "") << what;
    EXPECT_EQ(parser_(document.dump()), "") << what;
    std::vector<Json::json_pointer> places;
    collect(document, Json::json_pointer(), places);
    for (const auto& place : places) spoil(document, place, what);
  }
  std::size_t tried() const { return tried_; }

 private:
  void spoil(const Json& document, const Json::json_pointer& place, const std::string& what) {
    for (const Json& other : {Json(nullptr), Json(true), Json(-1), Json(0), Json(1.5), Json(4294967296), Json(""),
                              Json("x"), Json(Json::array()), Json(Json::object())}) {
      Json changed = document;
      changed[place] = other;
      agree(changed, place, other.dump(), what);
    }
    if (document[place].is_object()) {
      Json changed = document;
      changed[place]["another"] = 1;
      agree(changed, place, "another key", what);
    }
    if (place.empty()) return;
    Json changed = document;
    Json& holder = changed[place.parent_pointer()];
    if (!holder.is_object()) return;
    holder.erase(place.back());
    agree(changed, place, "nothing", what);
  }

  void agree(const Json& document, const Json::json_pointer& place, const std::string& by, const std::string& what) {
    ++tried_;
    const std::string schema_says = validate(schema_, document);
    const std::string parser_says = parser_(document.dump());
    EXPECT_EQ(schema_says.empty(), parser_says.empty())
        << what << ": " << place << " replaced by " << by << "\nschema: " << schema_says << "\nparser: " << parser_says;
  }

  Json schema_;
  Accepts parser_;
  std::size_t tried_ = 0;
};

// Spoiling every place of every case would repeat itself a hundred times: these hold everything that occurs.
const std::vector<std::string> telling_cases = {"bundle-everything", "copy-into-work",      "limits-cgroup-v1-root",
                                                "limits-explicit",   "require-and-driver",  "runtime-without-snippet",
                                                "pipeline",          "work-protected-below"};

TEST(PlanSchema, FitsEveryPlanOfTheCases) {
  const Json schema = load_schema("plan");
  for (const PlanCase& each : load_cases()) {
    const auto plan = run_case(each);
    if (!plan) continue;
    EXPECT_EQ(validate(schema, Json::parse(to_json(*plan))), "") << each.name;
  }
}

TEST(PlanSchema, AgreesWithTheParserOnSpoiltPlans) {
  Agreement agreement(load_schema("plan"), refusal<parse_plan>);
  for (const PlanCase& each : load_cases()) {
    if (std::find(telling_cases.begin(), telling_cases.end(), each.name) == telling_cases.end()) continue;
    const auto plan = run_case(each);
    ASSERT_TRUE(plan) << each.name;
    agreement.holds_for(essence(Json::parse(to_json(*plan))), each.name);
  }
  EXPECT_GT(agreement.tried(), 1000U);
}

TEST(OutcomeSchema, AgreesWithTheParserOnSpoiltOutcomes) {
  Outcome outcome;
  outcome.status = Status::signaled;
  outcome.exit_code = 139;
  outcome.signal = 11;
  outcome.duration_ms = 1.5;
  outcome.isolation = {{"net", "own namespace"}};
  outcome.limits_hit = {"disk"};
  outcome.planted = {".envrc"};
  outcome.error = Error{"code", "message", "where", "hint"};
  Json document = Json::parse(to_json(outcome));
  // That these two repeat status is more than a schema can say.
  document.erase("timed_out");
  document.erase("oom_killed");
  Agreement agreement(load_schema("outcome"), refusal<parse_outcome>);
  agreement.holds_for(document, "outcome");
  Json pipeline = Json::parse(to_json(join_steps({outcome}, 1)));
  pipeline.erase("timed_out");
  pipeline.erase("oom_killed");
  pipeline["steps"][0] = {{"name", "one"}, {"exit_code", 0}, {"status", "exited"}, {"stdout", "text"}};
  agreement.holds_for(pipeline, "pipeline");
  EXPECT_GT(agreement.tried(), 100U);
}

TEST(FactsSchema, AgreesWithTheParserOnSpoiltFacts) {
  Agreement agreement(load_schema("facts"), refusal<parse_facts>);
  for (const PlanCase& each : load_cases())
    if (std::find(telling_cases.begin(), telling_cases.end(), each.name) != telling_cases.end() ||
        each.name == "error-ro-missing" || each.name == "error-driver-unusable")
      agreement.holds_for(essence(Json::parse(each.facts)), each.name);
  EXPECT_GT(agreement.tried(), 1000U);
}

// That a later version's keys are ignored in presets and outcomes is tested with these.
TEST(FactsSchema, KeysOfALaterVersionAreIgnored) {
  const auto driver = parse_driver_facts(
      R"({"name":"d","later":{"usable":false},"usable":true,"pids_cgroup":{"version":1,"parent":"/a","since":6}})");
  ASSERT_TRUE(driver) << error_json(driver.error());
  EXPECT_TRUE(driver->usable);
  EXPECT_EQ(driver->pids_cgroup.version, 1);
  const auto interpreter = parse_interpreter(R"({"executable":"/usr/bin/it","links":[],"packages":["a"]})");
  ASSERT_TRUE(interpreter) << error_json(interpreter.error());
  EXPECT_EQ(interpreter->executable, "/usr/bin/it");
}

TEST(FactsSchema, FitsWhatIsWritten) {
  const Json schema = load_schema("facts");
  for (const PlanCase& each : load_cases()) {
    const auto facts = parse_facts(each.facts);
    ASSERT_TRUE(facts) << each.name;
    const std::string text = to_json(*facts);
    EXPECT_EQ(validate(schema, Json::parse(text)), "") << each.name;
    const auto again = parse_facts(text);
    ASSERT_TRUE(again) << error_json(again.error());
    EXPECT_EQ(to_json(*again), text);
  }
}

TEST(PresetSchema, AgreesWithTheParserOnSpoiltPresets) {
  Agreement agreement(load_schema("preset"), refusal<parse_preset>);
  for (const char* name : {"python", "node", "go"})
    agreement.holds_for(
        Json::parse(read_file(source_folder() / "tests" / "golden" / "presets" / (std::string(name) + ".json"))), name);
  EXPECT_GT(agreement.tried(), 200U);
}

TEST(RequestSchema, IsTheFieldTableOnPaper) {
  const auto path = source_folder() / "sdk" / "schema" / "request.schema.json";
  if (std::getenv("COCOON_UPDATE_GOLDEN") != nullptr) return write_file(path, request_schema());
  EXPECT_EQ(read_file(path), request_schema()) << "if this is meant: COCOON_UPDATE_GOLDEN=1";
}

// What only the parser knows: words, units and shapes inside of strings, and which fields exclude each other.
TEST(RequestSchema, AcceptsWhatTheParserAccepts) {
  const Json schema = load_schema("request");
  std::size_t requests = 0;
  for (const PlanCase& each : load_cases()) {
    if (each.is_conf || !parse_request(each.source)) continue;
    ++requests;
    EXPECT_EQ(validate(schema, Json::parse(each.source)), "") << each.name;
  }
  EXPECT_GT(requests, 30U);
  for (const char* text :
       {R"({"nonsense":1})", R"({"ro":"."})", R"({"timeout":true})", R"({"pids":1.5})", R"({"net":"bridge"})",
        R"({"command":{}})", R"({"env":["A=1"]})", R"({"env":{"A":1}})", R"({"require":["magic"]})", R"([])"}) {
    EXPECT_NE(validate(schema, Json::parse(text)), "") << text;
    EXPECT_FALSE(parse_request(text)) << text;
  }
}

}  // namespace
}  // namespace cocoon::test
