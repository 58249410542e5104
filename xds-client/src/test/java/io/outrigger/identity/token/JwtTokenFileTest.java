package io.outrigger.identity.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outrigger.xds.testing.Jwt;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of A97, usable and not. */
class JwtTokenFileTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir private Path folder;
  private Path file = Path.of("");

  @BeforeEach
  void name() {
    file = folder.resolve("token");
  }

  private static NoToken refused(String path) {
    NoToken none = catchThrowableOfType(NoToken.class, () -> JwtTokenFile.read(path, NOW));
    assertThat(none).isNotNull();
    assertThat(none.reason()).startsWith("jwt_token_file ");
    return none;
  }

  @Test
  void theTokenIsTheFileWithoutItsLineEnd() throws Exception {
    String text = Jwt.of("{\"sub\":\"sidecar\",\"exp\":1767225660,\"aud\":[\"a\"]}");
    Files.writeString(file, "  " + text + "\r\n");
    Deque<Runnable> readings = new ArrayDeque<>();

    CompletableFuture<AccessToken> fetch =
        new JwtTokenFile(readings::add, file.toString()).fetch(NOW);
    assertThat(fetch).isNotDone();
    readings.remove().run();

    assertThat(fetch).isCompletedWithValue(new AccessToken(text, Duration.ofMinutes(1)));
    assertThat(fetch.join().toString()).doesNotContain(text.substring(0, 8));
  }

  @Test
  void aBugInTheReadingEndsTheFetch() {
    assertThat(new JwtTokenFile(Runnable::run, null).fetch(NOW)).isCompletedExceptionally();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}                    | has no exp claim, or one that is not a number",
        "{\"exp\":\"soon\"}    | has no exp claim, or one that is not a number",
        "{\"exp\":null}        | has no exp claim, or one that is not a number",
        "{\"exp\":1e300}       | has an exp claim that is not a time",
        "{\"exp\":1767225600}  | has expired at 2026-01-01T00:00:00Z",
        "[1]                   | has claims that are not base64url of a JSON object",
        "{\"exp\":             | has claims that are not base64url of a JSON object",
      })
  void claimsWithoutAnEndThatIsToComeAreRefused(String claims, String reason) throws IOException {
    Files.writeString(file, Jwt.of(claims));

    assertThat(refused(file.toString()).reason()).endsWith(file + " " + reason);
    assertThat(refused(file.toString()).isUnusable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"''", "a.b", "a.b.c.d", "a b.c.d", "'a.b\nx: y.c'"})
  void anotherTextIsRefused(String content) throws IOException {
    Files.writeString(file, content);

    assertThat(refused(file.toString()).reason()).endsWith(" is not a JWT of three parts");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    assertThat(refused(file.toString()).reason()).endsWith(file + " does not exist");
    assertThat(refused(file.toString()).isUnusable()).isFalse();
  }

  @Test
  void aPathThatNoFileCanHaveIsNamed() {
    assertThat(refused(folder + "/a\0b").reason())
        .endsWith("/a b is not a path: Nul character not allowed");
  }

  /** Opening it would block until somebody writes. */
  @Test
  @Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
  void aPipeIsNotOpened() throws Exception {
    Process made = new ProcessBuilder("mkfifo", file.toString()).start();
    assertThat(made.waitFor()).isZero();

    assertThat(refused(file.toString()).reason()).endsWith(" is no regular file");
  }

  @Test
  void aFileLargerThan64KibIsNotCutShort() throws IOException {
    Files.writeString(file, Jwt.of("{\"exp\":1767225660}") + "a".repeat(JwtTokenFile.MAX_BYTES));

    assertThat(refused(file.toString()).reason()).endsWith(" is larger than 64 KiB");
  }
}
