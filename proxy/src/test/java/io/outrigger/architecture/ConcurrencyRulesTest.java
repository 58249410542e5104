package io.outrigger.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.outrigger.base.AnyThread;
import io.outrigger.base.ControlConfined;
import io.outrigger.base.LoopConfined;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Nothing locks or blocks in the control half, and time and chance come from the kernel alone. */
class ConcurrencyRulesTest {
  private static final String[] CONTROL_HALF = {"io.outrigger.xds..", "io.outrigger.lb.."};
  private static final String KERNEL = "io.outrigger.base..";
  private static final Pattern SYNCHRONIZED =
      Pattern.compile("^(?!\\s*(\\*|//|/\\*)).*\\bsynchronized\\b", Pattern.MULTILINE);

  @Test
  void theControlHalfHasNoSynchronizedMethods() {
    check(
        noMethods()
            .that()
            .areDeclaredInClassesThat()
            .resideInAnyPackage(CONTROL_HALF)
            .should()
            .haveModifier(JavaModifier.SYNCHRONIZED));
  }

  @Test
  void theControlHalfHasNoSynchronizedBlocks() throws IOException {
    for (Path source : Product.sources("config", "xds-client", "lb")) {
      assertThat(SYNCHRONIZED.matcher(Files.readString(source)).find()).as("%s", source).isFalse();
    }
  }

  @Test
  void theControlHalfHasNoLocks() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(CONTROL_HALF)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.util.concurrent.locks..")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(CountDownLatch.class));
  }

  @Test
  void theControlHalfWaitsForNoFuture() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(CONTROL_HALF)
            .should()
            .callMethod(Future.class, "get")
            .orShould()
            .callMethod(CompletableFuture.class, "get")
            .orShould()
            .callMethod(CompletableFuture.class, "join"));
  }

  @Test
  void onlyTheKernelReadsTheClock() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(KERNEL)
            .should()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(System.class, "currentTimeMillis"));
  }

  @Test
  void nobodySleeps() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(KERNEL)
            .should()
            .callMethod(Thread.class, "sleep", long.class));
  }

  @Test
  void onlyTheKernelDrawsRandomNumbers() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(KERNEL)
            .should()
            .dependOnClassesThat()
            .areAssignableTo(Random.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ThreadLocalRandom.class)
            .orShould()
            .callMethod(Math.class, "random"));
  }

  @Test
  void aClassWithMutableStateSaysWhichThreadItLivesOn() {
    check(classes().that(holdMutableState()).should(wearExactlyOneThreadAnnotation()));
  }

  private static DescribedPredicate<JavaClass> holdMutableState() {
    return DescribedPredicate.describe(
        "hold mutable state",
        type ->
            type.isTopLevelClass()
                && !type.isInterface()
                && type.getFields().stream().anyMatch(ConcurrencyRulesTest::isMutable));
  }

  private static boolean isMutable(JavaField field) {
    return !field.getModifiers().contains(JavaModifier.FINAL)
        && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
        && !field.getOwner().isAnnotatedWith("picocli.CommandLine$Command");
  }

  private static ArchCondition<JavaClass> wearExactlyOneThreadAnnotation() {
    return new ArchCondition<>("wear exactly one of @ControlConfined, @LoopConfined, @AnyThread") {
      @Override
      public void check(JavaClass type, ConditionEvents events) {
        long worn =
            Stream.of(ControlConfined.class, LoopConfined.class, AnyThread.class)
                .filter(type::isAnnotatedWith)
                .count();
        events.add(
            new SimpleConditionEvent(
                type, worn == 1, type.getName() + " wears " + worn + " thread annotations"));
      }
    };
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(Product.CLASSES);
  }
}
