package io.outrigger.proxy.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.outrigger.proxy.forward.H2Spec.Verdict;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The h2spec conformance suite against a forwarded route; see {@code docs/h2spec.md}. */
final class H2SpecIT {
  private static final int CASES = 146;

  @TempDir Path folder;

  @TestFactory
  Stream<DynamicTest> everyCasePasses() throws Exception {
    assumeThat(H2Spec.isForThisMachine()).as("h2spec is built for Linux on x86-64").isTrue();
    List<H2Spec.Case> cases;
    try (var backend = new AnsweringBackend();
        var mesh = new MiniMesh(1)) {
      mesh.leadTo(backend.port());
      cases = H2Spec.unpack(folder).run(mesh.port());
    }

    assertThat(cases).hasSize(CASES);
    return cases.stream().map(H2SpecIT::check);
  }

  private static DynamicTest check(H2Spec.Case result) {
    return DynamicTest.dynamicTest(
        result.id() + " " + result.title(),
        () -> assertThat(result.verdict()).as(result.answer()).isEqualTo(Verdict.PASSED));
  }
}
