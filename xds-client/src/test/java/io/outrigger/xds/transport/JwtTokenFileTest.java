package io.outrigger.xds.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.SecurityLevel;
import io.outrigger.testing.FakeControlLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** A97 "JwtTokenFileCallCredentials", step by step. */
class JwtTokenFileTest {
  private final FakeControlLoop loop = new FakeControlLoop();
  private final Deque<Runnable> readings = new ArrayDeque<>();

  @TempDir private Path folder;
  private Path file = Path.of("");
  private JwtTokenFile credentials = credentials();

  private JwtTokenFile credentials() {
    return new JwtTokenFile(
        loop, readings::add, (bound, purpose) -> bound / 2, file.toString()); // no jitter
  }

  @BeforeEach
  void name() {
    file = folder.resolve("token");
    credentials = credentials();
  }

  /** Puts a token into the file that ends {@code lifetime} from now. */
  private String write(String subject, Duration lifetime) throws IOException {
    long end = loop.now().plus(lifetime).getEpochSecond();
    String token = JwtTokenTest.token("{\"sub\":\"%s\",\"exp\":%d}".formatted(subject, end));
    Files.writeString(file, token + "\n");
    return token;
  }

  private TokenCall call() {
    return call(SecurityLevel.PRIVACY_AND_INTEGRITY);
  }

  private TokenCall call(SecurityLevel level) {
    var call = TokenCall.of(credentials, level);
    loop.run();
    return call;
  }

  private void read() {
    readings.remove().run();
    loop.run();
  }

  @Test
  void theFirstCallsWaitForOneReadingAndLaterOnesGetTheTokenAtOnce() throws IOException {
    String token = write("a", Duration.ofHours(1));

    TokenCall first = call();
    TokenCall second = call();
    assertThat(first.outcome()).isEqualTo("waits");
    assertThat(readings).hasSize(1);
    read();

    assertThat(first.outcome()).isEqualTo("Bearer " + token);
    assertThat(second.outcome()).isEqualTo("Bearer " + token);
    assertThat(call().outcome()).isEqualTo("Bearer " + token);
    assertThat(readings).isEmpty();
  }

  @Test
  void nearItsEndATokenIsStillUsedWhileTheFileIsReadAgain() throws IOException {
    String old = write("old", Duration.ofMinutes(10));
    call();
    read();
    String fresh = write("new", Duration.ofHours(1));

    loop.advance(Duration.ofSeconds(600 - 30 - 61));
    assertThat(call().outcome()).isEqualTo("Bearer " + old);
    assertThat(readings).as("more than a minute before").isEmpty();

    loop.advance(Duration.ofSeconds(2));
    assertThat(call().outcome()).isEqualTo("Bearer " + old);
    read();
    assertThat(call().outcome()).isEqualTo("Bearer " + fresh);
  }

  @Test
  void thirtySecondsBeforeItsEndATokenIsUsedNoMore() throws IOException {
    write("old", Duration.ofMinutes(10));
    call();
    read();
    String fresh = write("new", Duration.ofHours(1));

    loop.advance(Duration.ofSeconds(600 - 30));
    TokenCall call = call();
    assertThat(call.outcome()).isEqualTo("waits");
    read();

    assertThat(call.outcome()).isEqualTo("Bearer " + fresh);
  }

  @Test
  void aFileThatIsNotThereFailsTheCallsUntilTheBackOffIsOver() throws IOException {
    TokenCall waiting = call();
    read();
    String failed = "UNAVAILABLE: jwt_token_file " + file + " does not exist";
    assertThat(waiting.outcome()).isEqualTo(failed);

    String token = write("a", Duration.ofHours(1));
    loop.advance(Duration.ofMillis(900));
    assertThat(call().outcome()).as("within the back-off").isEqualTo(failed);
    assertThat(readings).isEmpty();
    loop.advance(Duration.ofMillis(100));
    assertThat(readings).as("only a call starts a reading").isEmpty();
    TokenCall later = call();
    read();

    assertThat(later.outcome()).isEqualTo("Bearer " + token);
  }

  @Test
  void aTokenThatCannotBeUsedSaysWhy() throws IOException {
    Files.writeString(file, "not a token");
    TokenCall garbage = call();
    read();
    loop.advance(Duration.ofSeconds(1));
    write("late", Duration.ofSeconds(-5));
    TokenCall late = call();
    read();

    assertThat(garbage.outcome())
        .isEqualTo("UNAUTHENTICATED: jwt_token_file " + file + " is not a JWT of three parts");
    assertThat(late.outcome())
        .startsWith("UNAUTHENTICATED: jwt_token_file " + file + " has expired");
  }

  @Test
  void aPathThatNoFileCanHaveFailsTheCalls() {
    String path = folder + "/a\0b";
    credentials = new JwtTokenFile(loop, readings::add, (bound, purpose) -> bound / 2, path);

    TokenCall call = call();
    read();

    assertThat(call.outcome())
        .isEqualTo(
            "UNAVAILABLE: jwt_token_file %s/a b is not a path: Nul character not allowed"
                .formatted(folder));
  }

  /** Opening it would block until somebody writes. */
  @Test
  @Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
  void aPipeIsNotOpened() throws Exception {
    Process made = new ProcessBuilder("mkfifo", file.toString()).start();
    assertThat(made.waitFor()).isZero();

    TokenCall call = call();
    read();

    assertThat(call.outcome())
        .isEqualTo("UNAVAILABLE: jwt_token_file " + file + " is no regular file");
    assertThat(JwtTokenFile.problem(file.toString(), loop.now()).orElseThrow())
        .endsWith(" is no regular file");
  }

  @Test
  void aFileLargerThan64KibIsNotCutShort() throws IOException {
    String token = write("a", Duration.ofHours(1));
    Files.writeString(file, token + "a".repeat(64 << 10));

    TokenCall call = call();
    read();

    assertThat(call.outcome())
        .isEqualTo("UNAVAILABLE: jwt_token_file " + file + " is larger than 64 KiB");
  }

  @Test
  void aReadingInVainLeavesTheTokenThatIsStillGood() throws IOException {
    String old = write("old", Duration.ofMinutes(10));
    call();
    read();
    Files.delete(file);

    loop.advance(Duration.ofSeconds(600 - 30 - 40));
    call();
    read();

    assertThat(call().outcome()).isEqualTo("Bearer " + old);
    assertThat(readings).as("backing off").isEmpty();
  }

  @Test
  void noTokenIsSentInPlainText() throws IOException {
    write("a", Duration.ofHours(1));

    assertThat(call(SecurityLevel.NONE).outcome())
        .startsWith("UNAUTHENTICATED: jwt_token_file " + file)
        .endsWith("use channel_creds of type tls");
    assertThat(call(SecurityLevel.INTEGRITY).outcome()).startsWith("UNAUTHENTICATED");
    assertThat(readings).isEmpty();
  }
}
