package io.outrigger.testing.leak;

import io.outrigger.base.AnyThread;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails the test class in whose run, or before it, a leak was found. Found by JUnit itself. */
@AnyThread
public final class LeakExtension implements AfterAllCallback {
  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    if (context.getRequiredTestClass().getEnclosingClass() != null) {
      return; // the outermost class looks, once
    }
    List<String> leaks = Leaks.INSTANCE.take();
    if (!leaks.isEmpty()) {
      throw new AssertionError(leaks.size() + " leaked:\n" + String.join("\n", leaks));
    }
  }
}
