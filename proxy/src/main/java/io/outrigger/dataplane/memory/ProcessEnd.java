package io.outrigger.dataplane.memory;

import io.outrigger.base.AnyThread;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Ends a process that is out of memory, with one line on stderr and exit code 1. The end itself
 * works without free memory: a line with the remedy is built at the start, and the reason is
 * omitted where no memory is left to add it. Shutdown hooks are not run, because they need memory
 * too.
 */
@AnyThread
final class ProcessEnd implements Consumer<String> {
  private static final int FAILED = 1;

  private final OutputStream err = new FileOutputStream(FileDescriptor.err);
  private final AtomicBoolean ended = new AtomicBoolean();
  private final String remedy;
  private final byte[] shortLine;

  ProcessEnd(MemoryPlan plan) {
    remedy = // String.format takes milliseconds at its first use
        "the heap's limit is "
            + (plan.heapBytes() >> 20)
            + " MiB and that of buffers "
            + (plan.directBytes() >> 20)
            + " MiB: raise the memory limit of the container";
    shortLine = line("outrigger: out of memory; " + remedy);
  }

  @Override
  public void accept(String reason) {
    if (ended.getAndSet(true)) {
      return; // another thread is ending the process
    }
    try {
      write(reason);
    } finally {
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private void write(String reason) {
    byte[] line = shortLine;
    try {
      System.out.flush();
      System.err.flush();
      line = line("outrigger: out of memory " + reason + "; " + remedy);
    } catch (OutOfMemoryError again) {
      line = shortLine;
    }
    try {
      err.write(line);
    } catch (IOException nobodyReads) {
      // the exit code reports the failure
    }
  }

  private static byte[] line(String text) {
    return (text + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
  }
}
