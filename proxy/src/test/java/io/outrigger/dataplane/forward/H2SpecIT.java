package io.outrigger.dataplane.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.outrigger.dataplane.forward.H2Spec.Verdict;
import io.outrigger.http2.EventLoops.TransportKind;
import io.outrigger.http2.testing.AnsweringBackend;
import io.outrigger.program.testing.mesh.MiniMesh;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The h2spec conformance suite against a forwarded route, over each way to talk to the operating
 * system; see {@code docs/extend/proofs.md}.
 */
final class H2SpecIT {
  private static final int CASES = 146;

  @TempDir Path folder;

  @TestFactory
  Stream<DynamicNode> everyCasePasses() throws Exception {
    assumeThat(H2Spec.isForThisMachine()).as("h2spec is built for Linux on x86-64").isTrue();
    H2Spec program = H2Spec.unpack(folder);
    List<DynamicNode> all = new ArrayList<>();
    all.add(over(TransportKind.NIO, Optional.empty(), program));
    all.add(
        over(
            TransportKind.EPOLL,
            Optional.ofNullable(Epoll.unavailabilityCause()).map(Throwable::toString),
            program));
    return all.stream();
  }

  private static DynamicNode over(
      TransportKind transport, Optional<String> obstacle, H2Spec program) throws Exception {
    if (obstacle.isPresent()) {
      return DynamicTest.dynamicTest(
          transport.name(), () -> assumeThat(obstacle).as("%s", transport).isEmpty());
    }
    List<H2Spec.Case> cases;
    try (var backend = new AnsweringBackend();
        var mesh = new MiniMesh(transport)) {
      mesh.leadTo(backend.port());
      cases = program.run(mesh.port());
    }
    assertThat(cases).as("cases over %s", transport).hasSize(CASES);
    return DynamicContainer.dynamicContainer(transport.name(), cases.stream().map(H2SpecIT::check));
  }

  private static DynamicTest check(H2Spec.Case result) {
    return DynamicTest.dynamicTest(
        result.id() + " " + result.title(),
        () -> assertThat(result.verdict()).as(result.answer()).isEqualTo(Verdict.PASSED));
  }
}
