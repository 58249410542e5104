package io.outrigger.testing;

import io.outrigger.base.AnyThread;

/**
 * A system property of tests that run side by side: those that need the same value run at the same
 * time, and one that needs another value waits for them.
 */
@AnyThread
public final class SharedProperty {
  private final String name;
  private String value = "";
  private int holders;

  public SharedProperty(String name) {
    this.name = name;
  }

  /** Sets the property; every test that calls this calls {@link #release} at its end. */
  public synchronized void hold(String wanted) throws InterruptedException {
    while (holders > 0 && !wanted.equals(value)) {
      wait();
    }
    holders++;
    value = wanted;
    System.setProperty(name, wanted);
  }

  /** Clears the property after the last test. */
  public synchronized void release() {
    holders--;
    if (holders == 0) {
      System.clearProperty(name);
    }
    notifyAll();
  }
}
