package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.downstream.ListenAddress;
import io.outrigger.program.app.LiveCheck;
import io.outrigger.program.options.Flag;
import io.outrigger.program.options.ForwardSpec;
import io.outrigger.program.options.InvalidInput;
import io.outrigger.program.options.ProxyOptions;
import io.outrigger.program.options.ProxyOptions.Logging;
import io.outrigger.program.options.StartFailure;
import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OutriggerCommandTest {
  private static final String EXAMPLE = "../config/examples/bootstrap.json";
  private static final String RESOURCES = "../config/examples/resources";
  private static final String FORWARD = "9001=xds:///orders";
  private static final String WRONG_LISTENER =
      """
      resources:
      - "@type": type.googleapis.com/envoy.config.listener.v3.Listener
        name: orders
      """;
  private static final String WRONG_LISTENER_ERROR =
      ":2:3: listener \"orders\": api_listener: is missing; a client needs"
          + " {\"api_listener\":{\"api_listener\":{\"@type\":\"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager\",…}}},"
          + " a server needs address and filter_chains";

  private final CommandLineFixture outrigger = new CommandLineFixture();
  private final Path folder;

  OutriggerCommandTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private void assertRefusedWith(int exitCode, String... lines) {
    assertThat(outrigger.started).isEmpty();
    assertThat(outrigger.errorLines()).containsExactly(lines);
    assertThat(exitCode).isEqualTo(2);
  }

  @Test
  void runStartsTheProgramAndReturnsItsExitCode() {
    outrigger.exitCode = 1;

    int exitCode = outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD);

    assertThat(exitCode).isEqualTo(1);
    assertThat(outrigger.started).hasSize(1);
    ProxyOptions options = outrigger.started.get(0);
    assertThat(options.source().orElseThrow().bootstrap().servers().get(0).uri())
        .isEqualTo("localhost:18000");
    assertThat(options.forwards())
        .containsExactly(
            new ForwardSpec(
                "orders", ListenAddress.parse("9001"), options.forwards().get(0).target()));
    assertThat(outrigger.errorLines()).isEmpty();
    assertThat(outrigger.logging).containsExactly(Logging.DEFAULT);
  }

  @Test
  void repeatedFlagsAreAListAndASwitchNeedsNoValue() {
    outrigger.run(
        "run",
        "--bootstrap=" + EXAMPLE,
        "--forward=" + FORWARD,
        "--ignore-route-timeout",
        "--forward",
        "unix:/run/all.sock=xds:///*",
        "--log-level=DEBUG");

    ProxyOptions options = outrigger.started.get(0);
    assertThat(options.forwards()).extracting(ForwardSpec::name).containsExactly("orders", "*");
    assertThat(options.routing().ignoreRouteTimeout()).isTrue();
    assertThat(outrigger.logging).extracting(Logging::level).containsExactly(Logging.Level.DEBUG);
  }

  @Test
  void aCommaInAFlagDoesNotSplitIt() {
    outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", "9001=xds:///a,b");

    assertThat(outrigger.started.get(0).forwards())
        .extracting(ForwardSpec::name)
        .containsExactly("a,b");
  }

  @Test
  void aSwitchMayBeTurnedOffAgainstTheEnvironment() {
    outrigger.environment.put("OUTRIGGER_IGNORE_ROUTE_TIMEOUT", "true");

    outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD);
    outrigger.run(
        "run", "--bootstrap", EXAMPLE, "--forward", FORWARD, "--ignore-route-timeout=false");

    assertThat(outrigger.started)
        .extracting(options -> options.routing().ignoreRouteTimeout())
        .containsExactly(true, false);
  }

  @Test
  void theEnvironmentAloneIsEnough() {
    outrigger.environment.putAll(
        Map.of("GRPC_XDS_BOOTSTRAP", EXAMPLE, "OUTRIGGER_FORWARD", FORWARD));

    assertThat(outrigger.run("run")).isZero();
    assertThat(outrigger.started).hasSize(1);
  }

  @Test
  @Conformance("A27-01")
  void withoutABootstrapNothingIsStarted() {
    assertRefusedWith(
        outrigger.run("run", "--forward", FORWARD),
        "outrigger: --bootstrap: is missing; give a file, set GRPC_XDS_BOOTSTRAP, or use"
            + " --resources without a control plane");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'channel_creds': [{'type': 'alts'}]} |"
            + " :1:41: $.xds_servers[0].channel_creds: none is supported of"
            + " \"alts\"; add one of type \"tls\" or \"insecure\"",
        "{'channel_creds': [{'type': 'tls', 'config': {'certificate_file': '/c'}}]} | :1:75:"
            + " $.xds_servers[0].channel_creds[0].config.private_key_file: is missing;"
            + " certificate_file needs it",
      })
  @Conformance({"A27-02", "A29-07"})
  void badCredentialsAreAStartUpError(String members, String expected) throws IOException {
    String server = "{'server_uri': 'cp:1', " + members.substring(1);
    String path = file("b.json", "{'xds_servers': [%s]}".formatted(server).replace('\'', '"'));

    assertRefusedWith(
        outrigger.run("run", "--bootstrap", path, "--forward", FORWARD),
        "outrigger: " + path + expected);
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "run --nonsense | unknown option --nonsense; see outrigger run --help",
        "--forward 9001=xds:///a | unknown option --forward; write a subcommand before it; see"
            + " outrigger --help",
        "--versoin | unknown option --versoin; did you mean --version?; see outrigger --help",
        "run --forwrad 9001=xds:///a | unknown option --forwrad; did you mean --forward?; see"
            + " outrigger run --help",
        "run --max_conections=3 | unknown option --max_conections; did you mean"
            + " --max-connections?; see outrigger run --help",
        "stauts | \"stauts\" is not a subcommand; did you mean status?; give one of run, demo,"
            + " validate, explain, status, certs, wait, completion, help; see outrigger --help",
        "completion tcsh | completion: \"tcsh\" is none of bash, zsh, fish",
        "run --threads | --threads needs a value; write it as --threads=N; see outrigger run"
            + " --help",
        "explain | --path needs a value; write it as --path=/PKG.SVC/METHOD; see outrigger explain"
            + " --help",
        "completion | give one of bash, zsh, fish; see outrigger completion --help",
        "status --json=x | invalid value for option '--json': 'x' is not a boolean; see outrigger"
            + " status --help",
        "run --threads 1 --threads 2 | option '--threads' (N) should be specified only once; see"
            + " outrigger run --help",
        "help statsu | \"statsu\" is not a subcommand; did you mean status?; give one of run, demo,"
            + " validate, explain, status, certs, wait, completion, help; see outrigger --help",
        "run stray | \"stray\" is one argument too many; see outrigger run --help",
        "frobnicate | \"frobnicate\" is not a subcommand; give one of run, demo, validate,"
            + " explain, status, certs, wait, completion, help; see outrigger --help",
        "wait --timeout soon | --timeout: \"soon\" is not a duration such as 250ms, 5s, 30m or 1h",
        "wait --admin off | --admin: \"off\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "status --admin 0 | --admin: give the port that the sidecar really has, not 0",
        "certs --admin 0 | --admin: give the port that the sidecar really has, not 0",
        "demo --duration 15 | --duration: \"15\" is not a duration such as 250ms, 5s, 30m or 1h",
        "demo --admin x | --admin: \"x\" is not an address such as 9001, 127.0.0.1:9001 or"
            + " [::1]:9001",
        "validate | nothing to validate; give --bootstrap FILE, --resources PATH or --overlay PATH,"
            + " or set GRPC_XDS_BOOTSTRAP",
      })
  void aWrongCommandLineIsOneLine(String args, String expected) {
    assertRefusedWith(outrigger.run(args.split(" ")), "outrigger: " + expected);
    assertThat(outrigger.outLines()).isEmpty();
  }

  @Test
  void withoutASubcommandTheLineNamesThem() {
    assertRefusedWith(
        outrigger.run(),
        "outrigger: no subcommand; give one of run, demo, validate, explain, status, certs, wait,"
            + " completion, help; see outrigger --help");
  }

  @ParameterizedTest
  @EnumSource(
      value = Flag.class,
      names = {"IGNORE_ROUTE_TIMEOUT", "STATE"}, // any folder may be named
      mode = EnumSource.Mode.EXCLUDE)
  void everyFlagTakesAValueAndRefusesANonsensicalOneByItsName(Flag flag) {
    List<String> args =
        new ArrayList<>(List.of("run", flag.option(), "/no/such thing")); // good for no flag
    if (flag != Flag.BOOTSTRAP) {
      args.addAll(List.of("--bootstrap", EXAMPLE));
    }
    if (flag != Flag.FORWARD) {
      args.addAll(List.of("--forward", FORWARD));
    }

    int exitCode = outrigger.run(args.toArray(String[]::new));

    assertThat(outrigger.errorLines())
        .singleElement()
        .asString()
        .startsWith("outrigger: " + flag.option() + ": ");
    assertThat(exitCode).isEqualTo(2);
  }

  @Test
  void staticResourcesAreValidatedBeforeTheProgramStarts() throws IOException {
    String resources = file("r.yaml", WRONG_LISTENER);

    assertRefusedWith(
        outrigger.run("run", "--resources", resources, "--forward", FORWARD),
        "outrigger: " + resources + WRONG_LISTENER_ERROR);

    file("r.yaml", "resources: []\n");
    assertThat(outrigger.run("run", "--resources", resources, "--forward", FORWARD)).isZero();
    assertThat(outrigger.started.get(0).source().orElseThrow().resources())
        .containsExactly(Path.of(resources));
  }

  @Test
  void theProgramStartsAfterItsPreparation() {
    var startedBefore = new AtomicInteger(-1);
    outrigger.preparation = () -> startedBefore.set(outrigger.started.size());

    outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD);

    assertThat(startedBefore).hasValue(0);
    assertThat(outrigger.started).hasSize(1);
  }

  @Test
  void aSignalDuringThePreparationIsHandled() {
    var handled = new AtomicBoolean();
    outrigger.preparation = () -> handled.set(outrigger.handlesSignals);

    outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD);

    assertThat(handled).isTrue();
  }

  @Test
  void aPreparationThatFailsIsNoReasonNotToStart() {
    outrigger.preparation =
        () -> {
          throw new IllegalStateException("no native library");
        };

    assertThat(outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD)).isZero();
    assertThat(outrigger.started).hasSize(1);
  }

  @Test
  void aPortInUseIsOneLineAndExitCode1() throws InvalidInput {
    outrigger.startFailure =
        Optional.of(
            StartFailure.cannotBind(
                "--forward " + FORWARD,
                new BindException("cannot listen on 127.0.0.1:9001: address already in use")));

    int exitCode = outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD);

    assertThat(exitCode).isEqualTo(1);
    assertThat(outrigger.errorLines())
        .containsExactly(
            "outrigger: --forward 9001=xds:///orders: cannot listen on 127.0.0.1:9001: address"
                + " already in use; stop what listens there or choose another address");
  }

  @Test
  void aBugIsOneLineAndExitCode1() {
    outrigger.bug = Optional.of(new IllegalStateException("first\n  second"));
    assertThat(outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD)).isEqualTo(1);
    assertThat(outrigger.errorLines()).containsExactly("outrigger: first second");

    outrigger.bug = Optional.of(new IllegalStateException());
    assertThat(outrigger.run("run", "--bootstrap", EXAMPLE, "--forward", FORWARD)).isEqualTo(1);
    assertThat(outrigger.errorLines())
        .containsExactly(
            "outrigger: IllegalStateException; run with --log-level DEBUG for the stack trace");
  }

  @Test
  void demoPassesItsFlagsOn() {
    assertThat(outrigger.run("demo")).isZero();
    assertThat(outrigger.run("demo", "--duration", "15s", "--admin", "0")).isZero();

    assertThat(outrigger.demos)
        .containsExactly(
            new CommandLineFixture.DemoStart(
                Optional.empty(), new ListenAddress.Tcp("127.0.0.1", 9901)),
            new CommandLineFixture.DemoStart(
                Optional.of(Duration.ofSeconds(15)), new ListenAddress.Tcp("127.0.0.1", 0)));
    assertThat(outrigger.outLines()).containsExactly("once upon a time");
  }

  @Test
  void validatePrintsEveryFindingAndExits2() throws IOException {
    String bad = file("bad.json", "{\"xds_servers\": [{}]}");
    String resources = file("r.yaml", WRONG_LISTENER);

    int exitCode = outrigger.run("validate", "--bootstrap", bad, "--resources", resources, "/no/x");

    assertThat(exitCode).isEqualTo(2);
    assertThat(outrigger.outLines())
        .containsExactly(
            bad + ":1:18: $.xds_servers[0].server_uri: is missing; a string is required",
            bad
                + ":1:18: $.xds_servers[0].channel_creds: is missing; give one of type \"tls\" or"
                + " \"insecure\"",
            "/no/x: no such file or folder; check the path",
            resources + WRONG_LISTENER_ERROR);
    assertThat(outrigger.errorLines())
        .containsExactly(
            "outrigger: 4 errors found; correct them at the places that their lines name");
  }

  @Test
  void validateOpensTheFilesOfTheBootstrapsCredentials() throws IOException {
    String noToken =
        """
        {"server_uri": "tls:1", "channel_creds": [{"type": "tls"}], "call_creds": [
          {"type": "jwt_token_file", "config": {"jwt_token_file": "/no/token"}}]}\
        """;
    String keyAlone =
        """
        {"server_uri": "tls:2", "channel_creds": [{"type": "tls", "config": {
          "certificate_file": "%s", "private_key_file": "/no/key.pem"}}]}\
        """
            .formatted(file("empty.pem", ""));
    String bad =
        file(
            "creds.json",
            """
            {"xds_servers": [%s], "authorities": {"a": {"xds_servers": [%s]}}}
            """
                .formatted(noToken, keyAlone));

    int exitCode = outrigger.run("validate", "--bootstrap", bad);

    assertThat(exitCode).isEqualTo(2);
    String at = bad + " (--bootstrap): xds server ";
    assertThat(outrigger.outLines())
        .containsExactly(
            "warning: " + at + "tls:1: jwt_token_file /no/token does not exist",
            at
                + "tls:2: tls credentials: certificate_file "
                + folder.resolve("empty.pem")
                + " has no certificate; PEM is needed: -----BEGIN CERTIFICATE-----");
    assertThat(outrigger.errorLines()).hasSize(1);
  }

  @Test
  void validateIsContentWithTheExamples() {
    int exitCode = outrigger.run("validate", "--bootstrap", EXAMPLE, "--resources", RESOURCES);

    assertThat(exitCode).isZero();
    assertThat(outrigger.outLines())
        .containsExactly(EXAMPLE + " (--bootstrap): OK", RESOURCES + ": OK");
  }

  @Conformance({"OV-03", "OV-04"})
  @Test
  void anOverlayThatIsWrongIsNamedWithItsPlaceBeforeAnythingStarts() throws IOException {
    String policy =
        file(
            "policy.yaml",
            "overlay:\n- name: a\n  clusters: ['*']\n  patch: {transport_socket: {}}\n");

    int exitCode =
        outrigger.run("run", "--resources", RESOURCES, "--overlay", policy, "--forward", FORWARD);

    assertThat(exitCode).isEqualTo(2);
    assertThat(outrigger.started).isEmpty();
    assertThat(outrigger.errorLines())
        .singleElement()
        .asString()
        .startsWith(
            "outrigger: " + policy + ":4:11: rule a patch.transport_socket: may not be patched");
  }

  @Conformance("OV-06")
  @Test
  void validateTriesAnOverlayOverResources() throws IOException {
    String idle = "overlay:\n- {name: idle, clusters: ['no*'], patch: {lb_policy: RING_HASH}}\n";
    String policy = file("policy.yaml", idle);

    int exitCode = outrigger.run("validate", "--resources", RESOURCES, "--overlay", policy);

    assertThat(exitCode).as(outrigger.err.toString()).isZero();
    assertThat(outrigger.outLines())
        .contains(policy + ": OK", "warning: rule idle of " + policy + ":2 matches nothing");

    String vain = "outlier_detection: {consecutive_5xx: 3}";
    file("policy.yaml", idle.replace("lb_policy: RING_HASH", vain));
    assertThat(outrigger.run("validate", "--overlay", policy)).isZero();
    assertThat(outrigger.outLines().get(0))
        .startsWith("warning: " + policy + ":2:")
        .contains("patch.outlier_detection.consecutive_5xx: has no effect");

    file("policy.yaml", idle + "- {name: bad, targets: ['xds:///*'], patch: {timeout: -1s}}\n");
    assertThat(outrigger.run("validate", "--overlay", policy)).isEqualTo(2);
    assertThat(outrigger.outLines())
        .singleElement()
        .asString()
        .startsWith(policy + ":3:46: rule bad patch.timeout: ");

    String ring =
        file(
            "ring.yaml",
            """
            resources:
            - "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
              name: ring
              type: EDS
              eds_cluster_config: {eds_config: {self: {}}}
              lb_policy: RING_HASH
              ring_hash_lb_config: {minimum_ring_size: 50}
            """);
    file(
        "policy.yaml",
        """
        overlay:
        - name: small
          clusters: [ring]
          patch: {ring_hash_lb_config: {maximum_ring_size: 40}}
        """);
    assertThat(outrigger.run("validate", "--resources", ring, "--overlay", policy)).isEqualTo(2);
    assertThat(outrigger.outLines())
        .contains(
            policy
                + ":2: rule small would be left out of ring:"
                + " ring_hash_lb_config.minimum_ring_size: is 50, above the maximum of 40");
  }

  @Conformance("DI-04")
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "unix:///etc/istio/proxy/XDS, true",
    "unix:/run/xds.sock, true",
    "istiod.istio-system.svc:15010, false",
    "dns:///unix:15010, false"
  })
  void aLiveValidationWarnsBeforeItTakesTheStreamOfAnother(String server, boolean warns)
      throws IOException {
    String bootstrap =
        file(
            "cp.json",
            """
            {"xds_servers": [{"server_uri": "%s", "channel_creds": [{"type": "insecure"}]}]}
            """
                .formatted(server));
    String[] live = {"validate", "--live", "--bootstrap", bootstrap, "--target", "xds:///a"};
    var before = new AtomicReference<String>();
    var findings = new ArrayList<String>();
    outrigger.live =
        (read, overlay, target, apiServer, timeout) -> {
          before.set(outrigger.out.toString());
          return new LiveCheck.Result(findings, List.of(), "*", 1, List.of(), List.of());
        };

    assertThat(outrigger.run(live)).isZero();
    assertThat(before.get())
        .isEqualTo(
            warns
                ? "warning: xds server "
                    + server
                    + ": istio's agent serves one stream at a time; if this socket is the agent's,"
                    + " a running sidecar loses its stream during this check and reconnects\n"
                : "");

    findings.add("cluster \"c\": no");
    assertThat(outrigger.run(live)).isEqualTo(2);
    assertThat(before.get().isEmpty()).isEqualTo(!warns);
    assertThat(outrigger.run("validate", "--bootstrap", bootstrap)).isZero();
    assertThat(outrigger.out.toString()).doesNotContain("warning");
  }

  @Test
  void validateAloneLooksAtTheBootstrapOfTheEnvironment() {
    outrigger.environment.put("GRPC_XDS_BOOTSTRAP_CONFIG", "{}");

    assertThat(outrigger.run("validate")).isEqualTo(2);
    assertThat(outrigger.outLines())
        .containsExactly(
            "GRPC_XDS_BOOTSTRAP_CONFIG:1:1: $.xds_servers: is missing; at least one control plane"
                + " is required");
  }

  @Test
  void helpOfRunNamesEveryFlag() {
    assertThat(outrigger.run("run", "--help")).isZero();

    for (Flag flag : Flag.values()) {
      assertThat(outrigger.out.toString()).contains(flag.option());
    }
    assertThat(outrigger.errorLines()).isEmpty();
  }

  @Test
  void helpOfRunGroupsTheFlagsAndBreaksLinesBetweenWords() {
    outrigger.run("run", "--help");

    assertThat(outrigger.outLines())
        .containsSubsequence("Configuration", "Limits", "Shutdown", "Logs, metrics, traces")
        .allMatch(line -> line.length() <= 100);
    assertThat(outrigger.out.toString())
        .contains("xds://authority/orders,", "IP:PORT or [IP6]:PORT.", " .json or");
    List<String> words = List.of(outrigger.out.toString().split("\\s+"));
    for (Flag flag : Flag.values()) {
      assertThat(words).as(flag.option()).containsAll(List.of(flag.help().split(" ")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "status", "completion"})
  void helpWithACommandIsTheHelpOfThatCommand(String command) {
    assertThat(outrigger.run(command, "--help")).isZero();
    String expected = outrigger.out.toString();

    assertThat(outrigger.run("help", command)).isZero();
    assertThat(outrigger.out.toString()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish"})
  void completionKnowsEverySubcommandAndFlag(String shell) {
    assertThat(outrigger.run("completion", shell)).isZero();

    String prefix = shell.equals("fish") ? "-l " : "--";
    for (Flag flag : Flag.values()) {
      assertThat(outrigger.out.toString()).contains(prefix + flag.key());
    }
    assertThat(outrigger.out.toString()).contains("demo", "validate", "explain", "status");
  }

  @Test
  void completionKnowsTheWordsThatAValueMayBe() {
    assertThat(outrigger.run("completion", "bash")).isZero();
    assertThat(outrigger.out.toString())
        .contains("(\"text\" \"json\")", "(\"bash\" \"zsh\" \"fish\")")
        .doesNotContain("+o default"); // else no file name is completed

    assertThat(outrigger.run("completion", "fish")).isZero();
    assertThat(outrigger.out.toString())
        .contains(
            "-l log-format -x -a 'text json'",
            "__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'",
            "__fish_seen_subcommand_from help' -f -a 'run demo ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"demo", "validate", "status", "certs", "wait", "completion", "help"})
  void everyCommandHasHelp(String command) {
    assertThat(outrigger.run(command, "--help")).isZero();
    assertThat(outrigger.out.toString()).startsWith("Usage: outrigger " + command + " ");
  }

  @Test
  void versionAndHelpOfTheProgram() {
    assertThat(outrigger.run("--version")).isZero();
    assertThat(outrigger.outLines())
        .singleElement()
        .asString()
        .matches(
            "outrigger \\S+, commit \\S+, Java " + Pattern.quote(Runtime.version().toString()));

    assertThat(outrigger.run("--help")).isZero();
    assertThat(outrigger.out.toString())
        .contains("run", "demo", "validate", "status", "certs", "wait", "after a clean drain");
  }
}
