package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The JVM ignores a compile command whose method does not exist. */
final class JvmOptionsTest {
  private static final String SOONER = "-XX:CompileCommand=CompileThresholdScaling,";
  private static final String PARTS = "-XX:CompileCommand=dontinline,";

  @Test
  void theMethodsThatAreCompiledApartExist() throws IOException, ReflectiveOperationException {
    List<String> methods = commands(PARTS);

    assertThat(methods).isNotEmpty();
    for (String method : methods) {
      String[] parts = method.split("::", -1);
      assertThat(Stream.of(Class.forName(parts[0]).getDeclaredMethods()).map(Method::getName))
          .contains(parts[1]);
    }
  }

  @Test
  void thePackagesThatReachC2SoonerExist() throws IOException {
    List<String> patterns = commands(SOONER);

    assertThat(patterns).isNotEmpty();
    for (String pattern : patterns) {
      String folder = pattern.split("[*]", 2)[0].replace('.', '/');
      assertThat(JvmOptionsTest.class.getClassLoader().getResource(folder)).isNotNull();
    }
  }

  private static List<String> commands(String start) throws IOException {
    return Files.readAllLines(Path.of("..", "docker", "jvm.options")).stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .toList();
  }
}
