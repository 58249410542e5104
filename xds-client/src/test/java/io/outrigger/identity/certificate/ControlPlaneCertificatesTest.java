package io.outrigger.identity.certificate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.outrigger.config.bootstrap.CertificateFiles;
import io.outrigger.config.tls.TrustSource;
import io.outrigger.config.tls.UpstreamTls;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.FakeControlLoop;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Real files of {@code tls} credentials under a clock that stands still. */
class ControlPlaneCertificatesTest {
  private static final TestAuthority AUTHORITY = TestAuthority.named("root");
  private static final TestAuthority OTHER = TestAuthority.named("other root");
  private static final TestIdentity FIRST = AUTHORITY.issue("dns:a");
  private static final TestIdentity SECOND = AUTHORITY.issue("dns:a");

  private final FakeControlLoop loop = new FakeControlLoop();
  private final Logger log = (Logger) LoggerFactory.getLogger(CertificateReports.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private Runnable unfollow = () -> {};

  @TempDir private Path folder;
  private Path chain = Path.of("");
  private Path key = Path.of("");
  private Path roots = Path.of("");

  @BeforeEach
  void write() throws IOException {
    lines.start();
    log.setLevel(Level.INFO);
    log.addAppender(lines);
    chain = folder.resolve("chain.pem");
    key = folder.resolve("key.pem");
    roots = Files.writeString(folder.resolve("roots.pem"), AUTHORITY.rootPem());
    write(FIRST);
  }

  @AfterEach
  void detach() {
    log.detachAppender(lines);
    log.setLevel(null);
  }

  private void write(TestIdentity identity) throws IOException {
    TestIdentity.replace(key, identity.keyPem());
    TestIdentity.replace(chain, identity.chainPem());
  }

  private ControlPlaneCertificates read() {
    return new ControlPlaneCertificates(
        new CertificateFiles(
            Optional.of(chain.toString()),
            Optional.of(key.toString()),
            Optional.of(roots.toString()),
            Optional.empty(),
            Duration.ofSeconds(600)),
        SystemRoots.of(Map.of()));
  }

  private ControlPlaneCertificates follow() {
    ControlPlaneCertificates certificates = read();
    loop.inside(() -> unfollow = certificates.follow(loop, Runnable::run, "xds server cp"));
    return certificates;
  }

  private void advance(int millis) {
    for (int over = 0; over < millis; over += 100) {
      loop.advance(Duration.ofMillis(100));
    }
  }

  private static TlsMaterial material(ControlPlaneCertificates certificates) {
    return certificates.material(
        new UpstreamTls(
            Optional.empty(), new TrustSource.SystemRoots(), List.of(), "", false, false));
  }

  @Test
  @Conformance("A29-07")
  void replacedFilesCountWithinASecond() throws IOException {
    ControlPlaneCertificates certificates = follow();
    assertThat(material(certificates).identity().orElseThrow().chain()).isEqualTo(FIRST.chain());

    write(SECOND);
    TestIdentity.replace(roots, OTHER.rootPem());
    advance(1000);

    assertThat(material(certificates).identity().orElseThrow().chain()).isEqualTo(SECOND.chain());
    assertThat(material(certificates).roots().certificates()).containsExactly(OTHER.root());
  }

  @Test
  @Conformance("A29-07")
  void filesThatCannotBeUsedLeaveThoseReadBefore() throws IOException {
    ControlPlaneCertificates certificates = follow();

    TestIdentity.replace(key, SECOND.keyPem());
    Files.delete(roots);
    advance(2000);

    assertThat(material(certificates).identity().orElseThrow().chain()).isEqualTo(FIRST.chain());
    assertThat(material(certificates).roots().certificates()).containsExactly(AUTHORITY.root());
    assertThat(lines.list)
        .last()
        .asString()
        .contains("xds server cp: private_key_file ", "; ca_certificate_file ", "does not exist");
  }

  @Test
  @Conformance("A29-07")
  void rootsThatAreWrittenInTwoStepsCountWhenTheyStandStill() throws IOException {
    Files.writeString(roots, AUTHORITY.rootPem() + OTHER.rootPem());
    ControlPlaneCertificates certificates = follow();

    Files.writeString(roots, OTHER.rootPem());
    advance(800);
    assertThat(material(certificates).roots().certificates()).as("both").hasSize(2);
    Files.writeString(roots, OTHER.rootPem() + AUTHORITY.rootPem());
    advance(3000);

    assertThat(material(certificates).roots().certificates())
        .containsExactly(OTHER.root(), AUTHORITY.root());
  }

  @Test
  @Conformance("A29-07")
  void revocationListsAndTheEndOfTheIdentityAreLogged() throws IOException {
    Files.writeString(roots, AUTHORITY.rootPem() + TestIdentity.pem("X509 CRL", new byte[9]));
    write(AUTHORITY.issue(b -> b.notAfter(loop.now().plusSeconds(3600)), "dns:a"));
    follow();

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line -> line.startsWith("xds server cp: in use now: "))
        .anyMatch(line -> line.contains("has 1 X509 CRL block, which are not used"));
    loop.advance(Duration.ofSeconds(3600));
    assertThat(lines.list).last().asString().contains("has expired at ");
  }

  @Test
  void filesThatCannotBeUsedAtTheStartAreNamed() throws IOException {
    Files.writeString(roots, "");

    assertThatThrownBy(this::read)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("ca_certificate_file " + roots + " ");
  }

  @Test
  void nothingIsReadAfterTheEnd() throws IOException {
    ControlPlaneCertificates certificates = follow();
    loop.inside(() -> unfollow.run());

    write(SECOND);
    advance(2000);

    assertThat(material(certificates).identity().orElseThrow().chain()).isEqualTo(FIRST.chain());
    assertThat(loop.pendingTimers()).isZero();
  }
}
