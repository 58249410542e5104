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
  private static final String PARTS = "-XX:CompileCommand=dontinline,";

  @Test
  void theMethodsThatAreCompiledApartExist() throws IOException, ReflectiveOperationException {
    List<String> methods =
        Files.readAllLines(Path.of("..", "docker", "jvm.options")).stream()
            .filter(line -> line.startsWith(PARTS))
            .map(line -> line.substring(PARTS.length()))
            .toList();

    assertThat(methods).isNotEmpty();
    for (String method : methods) {
      String[] parts = method.split("::", -1);
      assertThat(Stream.of(Class.forName(parts[0]).getDeclaredMethods()).map(Method::getName))
          .contains(parts[1]);
    }
  }
}
