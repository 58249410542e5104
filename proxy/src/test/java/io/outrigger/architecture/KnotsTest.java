package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What can only be read together is one thing: no more than four classes all need each other. */
class KnotsTest {
  private static final int MOST = 4;

  @Test
  void print() {
    for (Set<String> group : Knots.above(2, Product.CLASSES.stream().toList())) {
      System.out.println(group.size() + " " + group);
    }
  }
}
