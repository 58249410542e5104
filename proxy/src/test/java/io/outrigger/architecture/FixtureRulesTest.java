package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What tests of several packages use is in a package {@code testing}, and only there. */
class FixtureRulesTest {
  /** Has to stand beside the handle, whose constructor and methods are its package's own. */
  private static final String OPENS_A_PACKAGE = "io.outrigger.lb.tree.ClusterHandles";

  private static final JavaClasses TESTS =
      new ClassFileImporter()
          .withImportOption(FixtureRulesTest::isTest)
          .importPackages("io.outrigger");

  @Test
  void noTestUsesTheFixturesOfAnotherPackage() {
    assertThat(borrowed()).isEmpty();
  }

  @Test
  void whatIsSharedIsFound() {
    assertThat(TESTS.contain("io.outrigger.program.testing.Pressure")).isTrue();
  }

  private static List<String> borrowed() {
    return TESTS.stream()
        .flatMap(each -> each.getDirectDependenciesFromSelf().stream())
        .filter(FixtureRulesTest::isBorrowing)
        .map(Dependency::getDescription)
        .sorted()
        .toList();
  }

  private static boolean isBorrowing(Dependency dependency) {
    JavaClass user = dependency.getOriginClass();
    JavaClass used = dependency.getTargetClass().getBaseComponentType();
    return TESTS.contain(used.getName())
        && !used.getName().equals(OPENS_A_PACKAGE)
        && !user.getPackageName().endsWith(".jmh_generated")
        && !user.getPackageName().equals(used.getPackageName())
        && !List.of(used.getPackageName().split("\\.")).contains("testing");
  }

  private static boolean isTest(Location location) {
    return location.contains("/test-classes/");
  }
}
