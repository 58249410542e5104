package io.outrigger.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** The JVM ignores a compile command for a class or method that does not exist. */
final class JvmOptionsTest {
  private static final String SOONER = "-XX:CompileCommand=CompileThresholdScaling,";
  private static final String PARTS = "-XX:CompileCommand=dontinline,";

  @Test
  void theMethodsThatAreCompiledApartExist() throws IOException, ReflectiveOperationException {
    assertExist(commands(PARTS));
  }

  @Test
  void whatReachesC2SoonerExists() throws IOException, ReflectiveOperationException {
    Map<Boolean, List<String>> commands =
        commands(SOONER).stream()
            .map(command -> command.substring(0, command.indexOf(',')))
            .collect(Collectors.partitioningBy(command -> command.contains("*")));

    assertExist(commands.get(false));
    for (String pattern : commands.get(true)) {
      String folder = pattern.split("[*]", 2)[0].replace('.', '/');
      assertThat(JvmOptionsTest.class.getClassLoader().getResource(folder)).isNotNull();
    }
  }

  /** A stranger's ClientHello with such a key costs ten times as much as with another. */
  @Test
  @Conformance("A29S-12")
  void noKeyIsAgreedOnInAFiniteField() throws IOException {
    assertThat(commands("-Djdk.tls.namedGroups="))
        .singleElement(InstanceOfAssertFactories.STRING)
        .contains("X25519MLKEM768,x25519,secp256r1,secp384r1")
        .doesNotContain("ffdhe");
  }

  private static void assertExist(List<String> methods) throws ReflectiveOperationException {
    assertThat(methods).isNotEmpty();
    for (String method : methods) {
      String[] parts = method.split("::", -1);
      assertThat(Stream.of(Class.forName(parts[0]).getDeclaredMethods()).map(Method::getName))
          .contains(parts[1]);
    }
  }

  private static List<String> commands(String start) throws IOException {
    return Files.readAllLines(Path.of("..", "docker", "jvm.options")).stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .toList();
  }
}
