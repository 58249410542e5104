package io.outrigger.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * proxy -> {xds-client, lb, http2} -> config; within proxy, program -> observe -> dataplane; and
 * each library only where its translation ends.
 */
class DependencyRulesTest {
  private static final String BASE = "io.outrigger.base..";
  private static final String CONFIG = "io.outrigger.config..";
  private static final String XDS = "io.outrigger.xds..";
  private static final String LB = "io.outrigger.lb..";
  private static final String IDENTITY = "io.outrigger.identity..";
  private static final String HTTP2 = "io.outrigger.http2..";
  private static final String DATAPLANE = "io.outrigger.dataplane..";
  private static final String OBSERVE = "io.outrigger.observe..";
  private static final String PROGRAM = "io.outrigger.program..";
  private static final String[] PROXY = {HTTP2, DATAPLANE, OBSERVE, PROGRAM};

  @Test
  void allModulesAreLookedAt() {
    assertThat(Product.CLASSES)
        .extracting(type -> type.getPackageName())
        .contains(
            "io.outrigger.base",
            "io.outrigger.config.route",
            "io.outrigger.xds",
            "io.outrigger.lb",
            "io.outrigger.http2")
        .doesNotContain("io.outrigger.testing", "io.outrigger.architecture");
  }

  @Test
  void theKernelKnowsNothingElseOfOurs() {
    check(mayNotKnow(BASE, PROXY));
    check(mayNotKnow(BASE, CONFIG, XDS, IDENTITY, LB));
  }

  @Test
  void theModelKnowsOnlyTheKernel() {
    check(mayNotKnow(CONFIG, PROXY));
    check(mayNotKnow(CONFIG, XDS, IDENTITY, LB));
  }

  @Test
  void theXdsClientAndTheBalancerMeetOnlyInTheModel() {
    check(mayNotKnow(XDS, PROXY));
    check(mayNotKnow(XDS, LB));
    check(mayNotKnow(LB, PROXY));
    check(mayNotKnow(LB, XDS, IDENTITY));
  }

  @Test
  void identityKnowsNothingOfTheXdsClient() {
    check(mayNotKnow(IDENTITY, XDS, LB));
    check(mayNotKnow(IDENTITY, PROXY));
  }

  @Test
  void eachFloorOfTheProxyKnowsOnlyThoseBelow() {
    check(mayNotKnow(HTTP2, CONFIG, XDS, IDENTITY, LB, DATAPLANE, OBSERVE, PROGRAM));
    check(mayNotKnow(DATAPLANE, OBSERVE, PROGRAM));
    check(mayNotKnow(OBSERVE, PROGRAM));
  }

  @Test
  void whatTellsOfCallsKnowsTheirMeasuresAlone() {
    String[] telling = {
      "io.outrigger.observe.access..",
      "io.outrigger.observe.history..",
      "io.outrigger.observe.metrics..",
      "io.outrigger.observe.telemetry.."
    };
    for (String each : telling) {
      check(
          mayNotKnow(
              each, "io.outrigger.dataplane.forward..", "io.outrigger.dataplane.upstream.."));
    }
  }

  @Test
  void packagesFormNoCycles() {
    check(slices().matching("io.outrigger.(**)").should().beFreeOfCycles());
  }

  /**
   * Demo and admin speak to the outside world in its own types: gRPC services, CSDS, a server. A
   * home is a package with all beneath it, or a single class.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "io.grpc..,             xds.transport xds.local observe.admin program.demo",
    "io.envoyproxy..,       xds.transport xds.stream xds.report xds.decode xds.local xds.kubernetes xds.overlay observe.admin"
        + " program.demo",
    "com.google.protobuf.., xds.transport xds.stream xds.state xds.report xds.decode xds.local xds.kubernetes xds.overlay dataplane.orca observe.admin"
        + " program.demo",
    "com.google.gson..,     config.bootstrap xds.local xds.kubernetes xds.overlay xds.decode identity.certificate identity.google identity.token"
        + " observe.access observe.admin program.cli program.options.ConfigFile",
    "com.google.re2j..,     config.route xds.decode xds.overlay",
    "com.google.common..,   program.demo",
    "org.snakeyaml..,       xds.local",
    "picocli..,             program.cli",
    "io.prometheus..,       observe.metrics observe.admin program.app observe.telemetry",
    "io.opentelemetry..,    observe.telemetry",
    "org.HdrHistogram..,    observe.history",
    "ch.qos.logback..,      program.cli program.app observe.admin",
    "io.netty..,            http2 dataplane.memory dataplane.downstream dataplane.serve dataplane.upstream dataplane.tls dataplane.calls dataplane.forward dataplane.orca"
        + " observe.admin program.demo observe.telemetry dataplane.route.GrpcTimeout xds.dns identity.tls xds.transport",
  })
  void aLibraryStaysInItsPackages(String library, String homes) {
    List<String> prefixes = Arrays.stream(homes.split(" +")).map("io.outrigger."::concat).toList();

    check(
        noClasses()
            .that(
                DescribedPredicate.describe("live elsewhere", type -> livesOutside(prefixes, type)))
            .should()
            .dependOnClassesThat()
            .resideInAPackage(library));
  }

  /** True unless {@code type}, with its dots and nested classes, begins with one of the homes. */
  private static boolean livesOutside(List<String> homes, JavaClass type) {
    return homes.stream()
        .noneMatch(
            home ->
                type.getName().startsWith(home + ".")
                    || type.getName().equals(home)
                    || type.getName().startsWith(home + "$"));
  }

  private static ArchRule mayNotKnow(String from, String... others) {
    return noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(others);
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(Product.CLASSES);
  }
}
