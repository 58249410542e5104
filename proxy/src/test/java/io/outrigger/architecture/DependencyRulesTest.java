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

/** proxy -> {xds-client, lb} -> config, and each library only where its translation ends. */
class DependencyRulesTest {
  private static final String BASE = "io.outrigger.base..";
  private static final String CONFIG = "io.outrigger.config..";
  private static final String XDS = "io.outrigger.xds..";
  private static final String LB = "io.outrigger.lb..";
  private static final String PROXY = "io.outrigger.proxy..";

  @Test
  void allModulesAreLookedAt() {
    assertThat(Product.CLASSES)
        .extracting(type -> type.getPackageName())
        .contains(
            "io.outrigger.base",
            "io.outrigger.config.route",
            "io.outrigger.xds",
            "io.outrigger.lb",
            "io.outrigger.proxy.http2")
        .doesNotContain("io.outrigger.testing", "io.outrigger.architecture");
  }

  @Test
  void theKernelKnowsNothingElseOfOurs() {
    check(mayNotKnow(BASE, CONFIG, XDS, LB, PROXY));
  }

  @Test
  void theModelKnowsOnlyTheKernel() {
    check(mayNotKnow(CONFIG, XDS, LB, PROXY));
  }

  @Test
  void theXdsClientAndTheBalancerMeetOnlyInTheModel() {
    check(mayNotKnow(XDS, LB, PROXY));
    check(mayNotKnow(LB, XDS, PROXY));
  }

  @Test
  void whatTellsOfCallsKnowsTheirMeasuresAlone() {
    String[] telling = {
      "io.outrigger.proxy.access..",
      "io.outrigger.proxy.history..",
      "io.outrigger.proxy.metrics..",
      "io.outrigger.proxy.telemetry.."
    };
    for (String each : telling) {
      check(mayNotKnow(each, "io.outrigger.proxy.forward..", "io.outrigger.proxy.upstream.."));
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
    "io.grpc..,             xds.transport xds.local proxy.admin proxy.demo",
    "io.envoyproxy..,       xds.transport xds.stream xds.report xds.decode xds.local xds.overlay proxy.admin"
        + " proxy.demo",
    "com.google.protobuf.., xds.transport xds.stream xds.report xds.decode xds.local xds.overlay proxy.orca proxy.admin"
        + " proxy.demo",
    "com.google.gson..,     config.bootstrap xds.local xds.overlay xds.decode xds.certificate xds.google xds.token"
        + " proxy.admin proxy.cli proxy.options.ConfigFile",
    "com.google.re2j..,     config.route xds.decode",
    "com.google.common..,   proxy.demo",
    "org.snakeyaml..,       xds.local",
    "picocli..,             proxy.cli",
    "io.prometheus..,       proxy.metrics proxy.admin proxy.app proxy.telemetry",
    "io.opentelemetry..,    proxy.telemetry",
    "org.HdrHistogram..,    proxy.history",
    "ch.qos.logback..,      proxy.cli proxy.app proxy.admin",
    "io.netty..,            proxy.http2 proxy.memory proxy.downstream proxy.upstream proxy.tls proxy.calls proxy.forward proxy.orca proxy.warmup"
        + " proxy.admin proxy.demo proxy.telemetry proxy.route.GrpcTimeout xds.dns xds.tls xds.transport",
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
