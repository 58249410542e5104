package io.outrigger.xds.decode;

import static io.outrigger.xds.ResourceType.ROUTE;
import static io.outrigger.xds.decode.Decoding.errors;
import static io.outrigger.xds.decode.Decoding.valid;
import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.route.Fraction;
import io.outrigger.config.route.HeaderMatcher;
import io.outrigger.config.route.RouteMatch;
import io.outrigger.testing.Conformance;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouteMatchDecoderTest {
  private static final String AT = "virtual_hosts[0].routes[0].match";

  @ParameterizedTest(name = "{0} matches {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"prefix\": \"\"                                         | /any/thing | true",
        "\"prefix\": \"/Pkg\"                                     | /Pkg.Svc/M | true",
        "\"prefix\": \"/Pkg\"                                     | /pkg.Svc/M | false",
        "\"prefix\": \"/Pkg\", \"case_sensitive\": true           | /pkg.Svc/M | false",
        "\"prefix\": \"/Pkg\", \"case_sensitive\": false          | /pkg.Svc/M | true",
        "\"path\": \"/Pkg/M\"                                     | /Pkg/M     | true",
        "\"path\": \"/Pkg/M\"                                     | /pkg/m     | false",
        "\"path\": \"/Pkg/M\"                                     | /Pkg/M2    | false",
        "\"path\": \"/Pkg/M\", \"case_sensitive\": false          | /pkg/m     | true",
        "\"safe_regex\": {\"regex\": \"/p.g\"}                    | /pkg       | true",
        "\"safe_regex\": {\"regex\": \"/p.g\"}                    | /pkg/more  | false",
        "\"safe_regex\": {\"regex\": \"/p.g\"}                    | x/pkg      | false",
        "\"safe_regex\": {\"google_re2\": {}, \"regex\": \"/p\"}  | /p         | true",
        "\"safe_regex\": {\"regex\": \"/P\"}, \"case_sensitive\": false | /p   | false",
      })
  @Conformance("A28-03")
  void pathsMatch(String match, String path, boolean expected) {
    assertThat(match(match).path().matches(path)).isEqualTo(expected);
  }

  /** A request's texts have one character for each byte; a control plane's are Unicode. */
  @ParameterizedTest(name = "{0} on {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"prefix\": \"/größe\"                         | /größe/M | true",
        "\"prefix\": \"/größe\"                         | /grösse   | false",
        "\"prefix\": \"/GRöß\", \"case_sensitive\": false | /größe | true",
        "\"path\": \"/値\"                              | /値       | true",
        "\"path\": \"/値\"                              | /直       | false",
        "\"path\": \"/É\", \"case_sensitive\": false    | /é       | false", // ASCII letters only
        "\"safe_regex\": {\"regex\": \"/gr.ße\"}        | /größe   | true",
        "\"safe_regex\": {\"regex\": \"/..\"}           | /値値     | true",
        "\"safe_regex\": {\"regex\": \"/.\"}            | /😀       | true",
        "\"safe_regex\": {\"regex\": \"/[ö-ü]\"}        | /ö       | true",
        "\"safe_regex\": {\"regex\": \"/[ö-ü]\"}        | /é       | false",
      })
  @Conformance("A28-03")
  void pathsBeyondAsciiMatch(String match, String path, boolean expected) {
    assertThat(match(match).path().matches(onTheWire(path))).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} on {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"exact_match\": \"größe\"                          | größe | true",
        "\"prefix_match\": \"grö\"                           | größe | true",
        "\"suffix_match\": \"ße\"                            | größe | true",
        "\"contains_match\": \"öß\"                          | größe | true",
        "\"contains_match\": \"öß\"                          | grosse | false",
        "\"safe_regex_match\": {\"regex\": \"gr.{2}e\"}      | größe | true",
        "\"string_match\": {\"exact\": \"größe\"}            | größe | true",
        "\"string_match\": {\"exact\": \"GRößE\", \"ignore_case\": true}  | größe | true",
        "\"string_match\": {\"prefix\": \"GRö\", \"ignore_case\": true}   | größe | true",
        "\"string_match\": {\"suffix\": \"ßE\", \"ignore_case\": true}    | größe | true",
        "\"string_match\": {\"contains\": \"Röß\", \"ignore_case\": true} | größe | true",
        "\"string_match\": {\"safe_regex\": {\"regex\": \"gr[ö]ße\"}}       | größe | true",
      })
  @Conformance({"A28-06", "A63-01"})
  void headersBeyondAsciiMatch(String matcher, String value, boolean expected) {
    var decoded =
        match("\"prefix\": \"\", \"headers\": [{\"name\": \"h\", " + matcher + "}]")
            .headers()
            .get(0);

    assertThat(decoded.matches(onTheWire(value))).isEqualTo(expected);
  }

  @Test
  void matchersAreShownAsTheControlPlaneWroteThem() {
    var match =
        match(
            """
            "prefix": "/größe", "headers": [{"name": "h", "exact_match": "値"}, \
            {"name": "h", "string_match": {"contains": "É"}}]\
            """);

    assertThat(match.matcher(0)).isEqualTo("path with prefix \"/größe\"");
    assertThat(match.matcher(1)).isEqualTo("header h exactly \"値\"");
    assertThat(match.matcher(2)).isEqualTo("header h containing \"É\"");
  }

  private static String onTheWire(String text) {
    return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"case_sensitive\": true           | : no path specifier, or an unknown one",
        "\"connect_matcher\": {}            | .connect_matcher: not supported",
        "\"path_separated_prefix\": \"/x\"  | .path_separated_prefix: not supported",
        "\"path_match_policy\": {}          | .path_match_policy: not supported",
      })
  @Conformance("A28-05")
  void otherPathSpecifiersAreRefused(String match, String error) {
    assertThat(matchErrors(match)).singleElement().asString().startsWith(AT + error);
  }

  @Test
  @Conformance("A28-10")
  void invalidRegexIsRefused() {
    assertThat(matchErrors("\"safe_regex\": {\"regex\": \"(\"}"))
        .singleElement()
        .asString()
        .startsWith(AT + ".safe_regex.regex: invalid RE2 expression \"(\": ");
    assertThat(
            matchErrors(
                "\"prefix\": \"\", \"headers\": [{\"name\": \"a\", \"safe_regex_match\":"
                    + " {\"regex\": \"[\"}}, {\"name\": \"b\", \"string_match\":"
                    + " {\"safe_regex\": {\"regex\": \"*\"}}}]"))
        .satisfiesExactly(
            first -> assertThat(first).startsWith(AT + ".headers[0].safe_regex_match.regex: inv"),
            second ->
                assertThat(second).startsWith(AT + ".headers[1].string_match.safe_regex.regex: i"));
  }

  @ParameterizedTest(name = "{0} on {1}: {2}")
  @CsvSource(
      delimiter = '|',
      nullValues = "absent",
      value = {
        // each kind in the old and in the new spelling
        "\"exact_match\": \"ab\"                             | ab     | true",
        "\"exact_match\": \"ab\"                             | AB     | false",
        "\"string_match\": {\"exact\": \"ab\"}               | ab     | true",
        "\"string_match\": {\"exact\": \"ab\"}               | abc    | false",
        "\"prefix_match\": \"ab\"                            | abc    | true",
        "\"prefix_match\": \"ab\"                            | cab    | false",
        "\"string_match\": {\"prefix\": \"ab\"}              | abc    | true",
        "\"string_match\": {\"prefix\": \"ab\"}              | cab    | false",
        "\"suffix_match\": \"ab\"                            | cab    | true",
        "\"suffix_match\": \"ab\"                            | abc    | false",
        "\"string_match\": {\"suffix\": \"ab\"}              | cab    | true",
        "\"string_match\": {\"suffix\": \"ab\"}              | abc    | false",
        "\"contains_match\": \"ab\"                          | cabc   | true",
        "\"contains_match\": \"ab\"                          | acb    | false",
        "\"string_match\": {\"contains\": \"ab\"}            | cabc   | true",
        "\"string_match\": {\"contains\": \"ab\"}            | acb    | false",
        "\"safe_regex_match\": {\"regex\": \"a+\"}           | aaa    | true",
        "\"safe_regex_match\": {\"regex\": \"a+\"}           | aab    | false",
        "\"string_match\": {\"safe_regex\": {\"regex\": \"a+\"}} | aaa | true",
        "\"string_match\": {\"safe_regex\": {\"regex\": \"a+\"}} | aab | false",
        // several values arrive joined
        "\"exact_match\": \"a,b\"                            | a,b    | true",
        // ignore_case, but not for regular expressions
        "\"string_match\": {\"exact\": \"ab\", \"ignore_case\": true}     | AB    | true",
        "\"string_match\": {\"prefix\": \"ab\", \"ignore_case\": true}    | ABC   | true",
        "\"string_match\": {\"suffix\": \"ab\", \"ignore_case\": true}    | CAB   | true",
        "\"string_match\": {\"contains\": \"Ab\", \"ignore_case\": true}  | caBc  | true",
        "\"string_match\": {\"safe_regex\": {\"regex\": \"a\"}, \"ignore_case\": true}"
            + " | A | false",
        // ranges are half open
        "\"range_match\": {\"start\": 10, \"end\": 20}       | 9      | false",
        "\"range_match\": {\"start\": 10, \"end\": 20}       | 10     | true",
        "\"range_match\": {\"start\": 10, \"end\": 20}       | 19     | true",
        "\"range_match\": {\"start\": 10, \"end\": 20}       | 20     | false",
        "\"range_match\": {\"start\": -5, \"end\": 0}        | -5     | true",
        "\"range_match\": {\"start\": 10, \"end\": 20}       | ten    | false",
        "\"range_match\": {\"start\": 10, \"end\": 20}, \"invert_match\": true | ten | true",
        "\"range_match\": {\"start\": 10, \"end\": 20}, \"invert_match\": true | 15  | false",
        // inversion
        "\"exact_match\": \"ab\", \"invert_match\": true     | x      | true",
        "\"exact_match\": \"ab\", \"invert_match\": true     | ab     | false",
        "\"string_match\": {\"prefix\": \"ab\"}, \"invert_match\": true | x | true",
        // presence
        "\"present_match\": true                             | x      | true",
        "\"present_match\": true                             | absent | false",
        "\"present_match\": false                            | x      | false",
        "\"present_match\": false                            | absent | true",
        "\"present_match\": true, \"invert_match\": true     | absent | true",
        "\"present_match\": true, \"invert_match\": true     | x      | false",
        "\"present_match\": false, \"invert_match\": true    | x      | true",
        // an absent header fails every matcher of values, inverted or not
        "\"exact_match\": \"ab\"                             | absent | false",
        "\"exact_match\": \"ab\", \"invert_match\": true     | absent | false",
        "\"prefix_match\": \"ab\", \"invert_match\": true    | absent | false",
        "\"suffix_match\": \"ab\", \"invert_match\": true    | absent | false",
        "\"contains_match\": \"ab\", \"invert_match\": true  | absent | false",
        "\"safe_regex_match\": {\"regex\": \"a\"}, \"invert_match\": true | absent | false",
        "\"range_match\": {\"start\": 1, \"end\": 2}, \"invert_match\": true | absent | false",
        "\"string_match\": {\"exact\": \"ab\"}, \"invert_match\": true | absent | false",
        // exact may be empty
        "\"string_match\": {\"exact\": \"\"}                 | ''     | true",
        "\"string_match\": {\"exact\": \"\"}                 | x      | false",
        "\"string_match\": {\"exact\": \"\"}                 | absent | false",
        "\"exact_match\": \"\"                               | ''     | true",
      })
  @Conformance({"A28-06", "A28-07", "A28-09", "A63-01", "A63-02", "A63-03"})
  void headersMatch(String matcher, String value, boolean expected) {
    assertThat(header(matcher).matches(value)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "\"prefix_match\": \"\"                 | .prefix_match: is empty",
        "\"suffix_match\": \"\"                 | .suffix_match: is empty",
        "\"contains_match\": \"\"               | .contains_match: is empty",
        "\"string_match\": {\"prefix\": \"\"}   | .string_match.prefix: is empty",
        "\"string_match\": {\"suffix\": \"\"}   | .string_match.suffix: is empty",
        "\"string_match\": {\"contains\": \"\"} | .string_match.contains: is empty",
        "\"string_match\": {\"custom\": {}}     | .string_match.custom: custom matchers are not",
        "\"string_match\": {}                   | .string_match: no match pattern, or an unknown",
        "\"invert_match\": true                 | : no header matcher, or an unknown one",
      })
  @Conformance("A63-01")
  void invalidHeaderMatcherIsRefused(String matcher, String error) {
    assertThat(matchErrors("\"prefix\": \"\", \"headers\": [{\"name\": \"h\", " + matcher + "}]"))
        .singleElement()
        .asString()
        .startsWith(AT + ".headers[0]" + error);
  }

  @Test
  void headerNamesAreLowerCase() {
    assertThat(
            match("\"prefix\": \"\", \"headers\": [{\"name\": \"X-Ab\", \"present_match\": true}]")
                .headers()
                .get(0)
                .name())
        .isEqualTo("x-ab");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"numerator\": 5}                                        | 5          | 100",
        "{\"numerator\": 5, \"denominator\": \"TEN_THOUSAND\"}     | 5          | 10000",
        "{\"numerator\": 5, \"denominator\": \"MILLION\"}          | 5          | 1000000",
        "{\"numerator\": 4294967295}                               | 4294967295 | 100",
        "{}                                                        | 0          | 100",
      })
  void fractionIsUnsignedOverOneOfThreeDenominators(String json, long numerator, int denominator) {
    assertThat(match("\"prefix\": \"\", \"runtime_fraction\": {\"default_value\": " + json + "}"))
        .extracting(match -> match.fraction().orElseThrow())
        .isEqualTo(new Fraction(numerator, denominator));
  }

  @Test
  void fractionMustHaveAKnownValue() {
    assertThat(match("\"prefix\": \"\", \"runtime_fraction\": {\"runtime_key\": \"k\"}").fraction())
        .contains(new Fraction(0, 100));
    assertThat(
            matchErrors(
                "\"prefix\": \"\", \"runtime_fraction\": {\"default_value\":"
                    + " {\"denominator\": 3}}"))
        .containsExactly(AT + ".runtime_fraction.default_value.denominator: unknown value 3");
  }

  private static HeaderMatcher header(String matcher) {
    return match("\"prefix\": \"\", \"headers\": [{\"name\": \"h\", " + matcher + "}]")
        .headers()
        .get(0);
  }

  private static RouteMatch match(String match) {
    return valid(ROUTE, table(match)).virtualHosts().get(0).routes().get(0).match();
  }

  private static java.util.List<String> matchErrors(String match) {
    return errors(ROUTE, table(match));
  }

  private static String table(String match) {
    return "{\"name\": \"r\", \"virtual_hosts\": [{\"routes\": [{\"match\": {"
        + match
        + "}, \"route\": {\"cluster\": \"c\"}}]}]}";
  }
}
