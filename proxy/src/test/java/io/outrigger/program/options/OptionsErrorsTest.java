package io.outrigger.program.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong input of every kind, and the line that it is refused with. */
final class OptionsErrorsTest extends OptionsFixture {
  OptionsErrorsTest(@TempDir Path folder) throws IOException {
    super(folder);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'log_level: INFO' | DIR/o.yaml:1: log_level: is not known; did you mean log-level?;"
            + " the keys are the flags of run",
        "'daemon:!:20783:::::::' | DIR/o.yaml:1: has no key; write lines such as \"threads: 2\"",
        "'config: x' | DIR/o.yaml:1: config: is not known; the keys are the flags of run",
        "'threads: many' | DIR/o.yaml:1: threads: \"many\" is not a whole number from 1 to 1024",
        "'threads: [1, 2]' | DIR/o.yaml:1: threads: takes one value, not a list",
        "'forward: []' | DIR/o.yaml:1: forward: is an empty list",
        "'admin: {a: b}' | DIR/o.yaml:1: admin: has no plain value; write it as \"admin: value\"",
        "'admin:' | DIR/o.yaml:1: admin: has no plain value; write it as \"admin: value\"",
        "'bootstrap: \"a\\0\"' | DIR/o.yaml:1: bootstrap: has a NUL or half a surrogate pair;"
            + " remove this character",
        "'overlay: [\"\\ud800\"]' | DIR/o.yaml:1: overlay: has a NUL or half a surrogate pair;"
            + " remove this character",
        "'- a' | DIR/o.yaml: is no map; write lines such as \"admin: 127.0.0.1:9901\"",
      })
  void aBadFileIsNamedWithTheKey(String yaml, String expected) throws IOException {
    give(Flag.CONFIG, write("o.yaml", yaml + "\n").toString());
    flags.remove(Flag.FORWARD);
    environment.put("OUTRIGGER_FORWARD", "9001=xds:///orders");

    assertThat(errors()).containsExactly(expected);
  }

  @Test
  void brokenYamlIsNamedWithTheLine() throws IOException {
    give(Flag.CONFIG, write("o.yaml", "threads: 1\nadmin: [\n").toString());

    assertThat(errors()).singleElement().asString().startsWith("DIR/o.yaml:3:1: not YAML: ");
  }

  @Test
  void aMissingFileIsNamedWithItsFlag() {
    give(Flag.CONFIG, "/no/such.yaml");

    assertThat(errors())
        .containsExactly("--config: /no/such.yaml does not exist; give a YAML file");
  }

  /** The lines of a file that was given by mistake may be secrets. */
  @Test
  void aFileWithoutKeysIsReportedInAFewLines() throws IOException {
    give(Flag.CONFIG, write("shadow", users(26)).toString());

    assertThat(errors())
        .containsExactly(
            "DIR/shadow:1: has no key; write lines such as \"threads: 2\"",
            "DIR/shadow:2: has no key; write lines such as \"threads: 2\"",
            "DIR/shadow:3: has no key; write lines such as \"threads: 2\"",
            "DIR/shadow: 23 more lines have no key either");
  }

  private static String users(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> "user" + number + ":!:19000:0:99999:7:::\n")
        .collect(Collectors.joining());
  }

  /** A pipe would hold up the start, and /dev/zero would fill the heap. */
  @Test
  @Timeout(60)
  void aFileThatIsNoTextFileIsNotReadWhole() throws Exception {
    Path pipe = write("pipe", "");
    Files.delete(pipe);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    give(Flag.CONFIG, pipe.toString());
    assertThat(errors()).containsExactly("--config: DIR/pipe is no regular file; give a YAML file");

    give(Flag.CONFIG, "/dev/zero");
    assertThat(errors())
        .containsExactly("--config: /dev/zero is larger than 1 MiB; give a YAML file");
  }

  /** As zsh writes a process substitution: {@code --config <(…)}. */
  @Test
  void aPipeOfTheShellIsRead() throws Exception {
    Path pipe = write("pipe", "");
    Files.delete(pipe);
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    CompletableFuture<List<String>> errors;
    try (var both = new RandomAccessFile(pipe.toFile(), "rw")) { // opens without waiting
      both.writeBytes("no mapping");
      give(Flag.CONFIG, descriptorsOf(pipe).get(0).toString());
      errors = CompletableFuture.supplyAsync(this::errors);
      while (descriptorsOf(pipe).size() < 2) {
        Thread.onSpinWait();
      }
    } // the only writer has gone, so that the text ends
    assertThat(errors.get()).isNotEmpty().noneMatch(error -> error.contains("regular file"));
  }

  private static List<Path> descriptorsOf(Path file) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path descriptor : (Iterable<Path>) open::iterator) {
        if (Files.exists(descriptor) && Files.readSymbolicLink(descriptor).equals(file)) {
          found.add(descriptor);
        }
      }
    }
    return found;
  }

  @ParameterizedTest(name = "{0} {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "FORWARD | 9001 | --forward: \"9001\" has no target; write it as 9001=xds:///orders",
        "FORWARD | 9901=xds:///a | --admin: the admin server: 127.0.0.1:9901 is taken by"
            + " \"9901=xds:///a\"; choose another address",
        "FORWARD | 1=xds://west/a | --forward: \"xds://west/a\": authority \"west\" is not among"
            + " the bootstrap's authorities [east]; add it there",
        "MAX_TARGETS | 0 | --max-targets: \"0\" is not a whole number from 1 to 2147483647",
        "ADMIN | nowhere | --admin: \"nowhere\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "ADMIN | unix:/a | --admin: \"unix:/a\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "ADMIN_GRPC | 9901 | --admin-grpc: the admin gRPC server: 127.0.0.1:9901 is taken by the"
            + " admin server; choose another address",
        "HEALTH | 9901 | --health: the health server: 127.0.0.1:9901 is taken by the admin server;"
            + " choose another address",
        "HEALTH | unix:/a | --health: \"unix:/a\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "SERVE | 0.0.0.0:8080 | --serve: \"0.0.0.0:8080\" has no app; write it as"
            + " 0.0.0.0:8080=127.0.0.1:9090",
        "SERVE | @0.0.0.0:8080=9090 | --serve: \"@0.0.0.0:8080=9090\" has an empty name before the"
            + " @",
        "SERVE | 8080=9090 | --serve: \"8080=9090\": the IP address is missing; write it as"
            + " 0.0.0.0:8080",
        "SERVE | pod:8080=9090 | --serve: \"pod:8080=9090\": \"pod\" is not an IP address; write it"
            + " as 0.0.0.0:8080 or with the pod's address",
        "SERVE | 0.0.0.0:0=9090 | --serve: \"0.0.0.0:0=9090\": port 0 cannot be served; give the"
            + " port that the control plane knows",
        "SERVE | 0.0.0.0:8080=0 | --serve: \"0.0.0.0:8080=0\": the app has port 0; give the port it"
            + " listens on",
        "SERVE | 0.0.0.0:8080=8080 | --serve: \"0.0.0.0:8080=8080\": the app would be the served"
            + " address itself; give it another port",
        "SERVE | 10.1.2.3:8080=10.1.2.3:8080 | --serve: \"10.1.2.3:8080=10.1.2.3:8080\": the app"
            + " would be the served address itself; give it another port",
        "SERVE | unix:/a=9090 | --serve: \"unix:/a\" is not an address such as 9001, 127.0.0.1:9001"
            + " or [::1]:9001",
        "SERVE_DRAIN_SPREAD | 5 | --serve-drain-spread: \"5\" is not a duration such as 250ms, 5s,"
            + " 30m or 1h",
        "SERVE_DRAIN_GRACE | x | --serve-drain-grace: \"x\" is not a duration such as 250ms, 5s,"
            + " 30m or 1h",
        "SERVE_REQUIRE_RBAC | yes | --serve-require-rbac: \"yes\" is none of true, false",
        "PEER_HEADER | xfcc | --peer-header: \"xfcc\" is none of off, x-forwarded-client-cert",
        "THREADS | -1 | --threads: \"-1\" is not a whole number from 1 to 1024",
        "THREADS | 2.5 | --threads: \"2.5\" is not a whole number from 1 to 1024",
        "TRANSPORT | kqueue | --transport: \"kqueue\" is none of auto, epoll, nio",
        "CONNECT_TIMEOUT | 0s | --connect-timeout: \"0s\" must be more than zero",
        "IDLE_TIMEOUT | 5 | --idle-timeout: \"5\" is not a duration such as 250ms, 5s, 30m or 1h",
        "KEEPALIVE_TIME | x | --keepalive-time: \"x\" is not a duration such as 250ms, 5s, 30m or"
            + " 1h",
        "KEEPALIVE_TIMEOUT | 0ms | --keepalive-timeout: \"0ms\" must be more than zero",
        "MAX_CONCURRENT_STREAMS | 0 | --max-concurrent-streams: \"0\" is not a whole number from 1"
            + " to 2147483647",
        "MAX_HEADER_BYTES | 1 | --max-header-bytes: \"1\" is less than 1024 bytes",
        "MAX_HEADER_BYTES | 1GiB | --max-header-bytes: \"1GiB\" is more than 16777216 bytes",
        "MAX_CONCURRENT_STREAMS | 2147483648 | --max-concurrent-streams: \"2147483648\" is not a"
            + " whole number from 1 to 2147483647",
        "MAX_CONCURRENT_STREAMS | 99999999999999999999 | --max-concurrent-streams:"
            + " \"99999999999999999999\" is not a whole number from 1 to 2147483647",
        "MAX_HEADER_BYTES | -1 | --max-header-bytes: \"-1\" is not a size such as 65536, 64KiB or"
            + " 1GiB",
        "MAX_HEADER_BYTES | 4294967297 | --max-header-bytes: \"4294967297\" is more than 16777216"
            + " bytes",
        "MAX_MEMORY | -1GiB | --max-memory: \"-1GiB\" is not a size such as 65536, 64KiB or 1GiB",
        "MAX_MEMORY | 0 | --max-memory: \"0\" is less than 1048576 bytes",
        "MAX_MEMORY | 243MiB | --max-memory: \"243MiB\" is more than the JVM has for it, 241 MiB:"
            + " 124 MiB of the heap and 117 MiB for buffers; raise the container's memory limit, or"
            + " the JVM's limits in OUTRIGGER_JAVA_OPTS",
        "MAX_MEMORY | 99999999999GiB | --max-memory: \"99999999999GiB\" is too large",
        "KEEPALIVE_TIME | 999999999d | --keepalive-time: \"999999999d\" is longer than a hundred"
            + " years",
        "MAX_CONNECTIONS | all | --max-connections: \"all\" is not a whole number from 1 to"
            + " 2147483647",
        "MAX_MEMORY | lots | --max-memory: \"lots\" is not a size such as 65536, 64KiB or 1GiB",
        "MAX_QUEUED_REQUESTS | -1 | --max-queued-requests: \"-1\" is not a whole number from 0 to"
            + " 2147483647",
        "IGNORE_ROUTE_TIMEOUT | yes | --ignore-route-timeout: \"yes\" is none of true, false",
        "AUTHORITY | a b | --authority: \"a b\" is not target, preserve, or an authority such as"
            + " orders.example:443",
        "AUTHORITY | u@orders | --authority: \"u@orders\" is not target, preserve, or an authority"
            + " such as orders.example:443",
        "DRAIN_DELAY | soon | --drain-delay: \"soon\" is not a duration such as 250ms, 5s, 30m or"
            + " 1h",
        "DRAIN_TIMEOUT | -1s | --drain-timeout: \"-1s\" is not a duration such as 250ms, 5s, 30m"
            + " or 1h",
        "ACCESS_LOG | /no/such/log | --access-log: cannot write /no/such/log; give a file in a"
            + " folder that exists and can be written to",
        "ACCESS_LOG | '' | --access-log: is empty; give a file, - for stdout, or off",
        "ACCESS_LOG | / | --access-log: \"/\" is a folder; give a file, or - for stdout",
        "LOG_LEVEL | loud | --log-level: \"loud\" is none of trace, debug, info, warn, error, off",
        "LOG_FORMAT | xml | --log-format: \"xml\" is none of text, json",
        "OTLP | collector | --otlp: \"collector\" is not an endpoint such as http://collector:4317",
        "OTLP | http://collector:65536 | --otlp: \"http://collector:65536\": port 65536 is above"
            + " 65535",
        "RESOURCES | '' | --resources: is empty; give a file or a folder of resources",
        "BOOTSTRAP | '' | --bootstrap: is empty; give the path of a gRPC xDS bootstrap",
        "CONFIG | '' | --config: is empty; give the path of a YAML file",
        "RESOURCES | /no/such | --resources: cannot read /no/such: no such file or folder",
        "BOOTSTRAP | /no/such | --bootstrap: /no/such does not exist; give the path of a gRPC xDS"
            + " bootstrap",
      })
  void aBadFlagIsOneLineThatNamesIt(Flag flag, String value, String expected) throws IOException {
    give(Flag.BOOTSTRAP, writeServing().toString());
    give(flag, value);

    assertThat(errors()).containsExactly(expected);
  }

  @Test
  void aBadValueOfTheEnvironmentIsNamedByItsVariable() {
    environment.put("OUTRIGGER_THREADS", "none");

    assertThat(errors())
        .containsExactly("OUTRIGGER_THREADS: \"none\" is not a whole number from 1 to 1024");
  }

  @Test
  void allErrorsAreToldAtOnce() {
    flags.remove(Flag.FORWARD);
    give(Flag.THREADS, "0");
    give(Flag.BOOTSTRAP, "/no/such");

    assertThat(errors())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("--bootstrap: "))
        .anyMatch(
            line ->
                line.equals(
                    "--forward: is missing; give at least one, such as --forward"
                        + " 9001=xds:///orders, or a --serve"))
        .anyMatch(line -> line.startsWith("--threads: "));
  }

  /** Whether a control plane is needed is unknown while a port is wrong. */
  @ParameterizedTest
  @CsvSource({"FORWARD, 0=http://a", "FORWARD, 0=k8s:///a", "SERVE, 8080=9090"})
  void aWrongPortIsOneLineWithoutABootstrap(Flag flag, String value) {
    flags.clear();
    give(flag, value);

    assertThat(errors()).singleElement().asString().startsWith(flag.option() + ": ");
  }

  @Test
  void twoForwardsMayShareNeitherNameNorAddress() {
    give(Flag.FORWARD, "9001=xds:///a", "9002=xds:///a", "b@127.0.0.1:9001=xds:///b");

    assertThat(errors())
        .containsExactly(
            "--forward: \"9002=xds:///a\" has the same name as \"9001=xds:///a\"; give it another"
                + " name, as NAME@9002=xds:///a",
            "--forward: \"b@127.0.0.1:9001=xds:///b\": 127.0.0.1:9001 is taken by"
                + " \"9001=xds:///a\"; choose another address");
  }

  @Test
  void twoServesMayShareNeitherNameNorAddress() throws IOException {
    give(Flag.BOOTSTRAP, writeServing().toString());
    give(Flag.SERVE, "a@0.0.0.0:8080=1", "a@0.0.0.0:8081=2", "10.1.2.3:8080=3", "1.2.3.4:9901=4");
    give(Flag.ADMIN, "0.0.0.0:9901");

    assertThat(errors())
        .containsExactly(
            "--serve: \"a@0.0.0.0:8081=2\" has the same name as \"a@0.0.0.0:8080=1\"; give it"
                + " another name, as NAME@0.0.0.0:8081=2",
            "--serve: \"10.1.2.3:8080=3\": 10.1.2.3:8080 is taken by \"a@0.0.0.0:8080=1\"; choose"
                + " another address",
            "--admin: the admin server: 0.0.0.0:9901 is taken by \"1.2.3.4:9901=4\"; choose another"
                + " address");
  }

  @Test
  @Conformance("A36-02")
  void aControlPlaneThatServesNeedsATemplateForNames() {
    give(Flag.SERVE, "0.0.0.0:8080=9000", "0.0.0.0:8081=9001");

    assertThat(errors())
        .containsExactly(
            "--serve: server_listener_resource_name_template: is missing in the bootstrap; add the"
                + " template that the control plane expects, such as"
                + " \"xds.istio.io/grpc/lds/inbound/%s\"");
  }

  @Test
  @Conformance("A36-01")
  void theAuthorityOfATemplateMustBeKnown() throws IOException {
    give(
        Flag.BOOTSTRAP,
        write(
                "other.json",
                BOOTSTRAP
                    .formatted("cp:443")
                    .replaceFirst(
                        "\\{",
                        "{\"server_listener_resource_name_template\": \"xdstp://west/L/%s\", "))
            .toString());
    give(Flag.SERVE, "0.0.0.0:8080=9000");

    assertThat(errors())
        .containsExactly(
            "--serve: server_listener_resource_name_template: authority \"west\" is not among the"
                + " bootstrap's authorities [east]; add it there");
  }

  /** Tabs, names that a path must quote, members that are missing, and elements of arrays. */
  @Test
  void aFindingOfTheBootstrapHasItsLineAndColumn() throws IOException {
    String text =
        """
        {
        \t"xds_servers": [
        \t\t{"server_uri": "cp:1", "channel_creds": [{"type": "insecure"}]},
        \t\t{"server_uri": 7,
        \t\t "channel_creds": [{"type": "insecure"}]}
        \t],
        \t"authorities": {
        \t\t"a.b-\\"c": {
        \t\t\t"xds_servers": 1
        \t\t}
        \t},
        \t"certificate_providers": {"x":
        \t\t{"plugin_name": "file_watcher"}}
        }
        """;
    give(Flag.BOOTSTRAP, write("bad.json", text).toString());
    assertThat(errors())
        .containsExactly(
            "DIR/bad.json:4:4: $.xds_servers[1].server_uri: is a number; a string is required",
            "DIR/bad.json:9:4: $.authorities[\"a.b-\\\"c\"].xds_servers: is a number; an array is"
                + " required",
            "DIR/bad.json:12:28: $.certificate_providers.x.config: names no file; give"
                + " ca_certificate_file, certificate_file or both");

    give(Flag.BOOTSTRAP, write("cut.json", "{\n  \"node\": {,}}").toString());
    assertThat(errors())
        .singleElement()
        .asString()
        .startsWith("DIR/cut.json:2:13: $.node: is not JSON: ")
        .doesNotContain(" at line");
  }

  @Test
  @Conformance("A27-01")
  void aBadBootstrapIsNamedWithItsSourceAndTheJsonPath() throws IOException {
    give(Flag.BOOTSTRAP, write("bad.json", "{\"xds_servers\": [], \"node\": 1}").toString());
    assertThat(errors())
        .containsExactly(
            "DIR/bad.json:1:2: $.xds_servers: is empty; at least one control plane is required",
            "DIR/bad.json:1:21: $.node: is a number; an object is required");

    flags.remove(Flag.BOOTSTRAP);
    environment.put("GRPC_XDS_BOOTSTRAP", "/no/such");
    environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", BOOTSTRAP);
    assertThat(errors())
        .as("a file that cannot be read is not passed over")
        .singleElement()
        .asString()
        .startsWith("GRPC_XDS_BOOTSTRAP: /no/such does not exist");

    environment.remove("GRPC_XDS_BOOTSTRAP");
    environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", "{");
    assertThat(errors())
        .singleElement()
        .asString()
        .startsWith("GRPC_XDS_BOOTSTRAP_CONFIG:1:2: $: is not JSON: ");
  }
}
