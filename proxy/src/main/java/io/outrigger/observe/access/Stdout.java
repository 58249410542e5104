package io.outrigger.observe.access;

import io.outrigger.base.AnyThread;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The standard output, which the access log and the audit log share: each write is whole, and
 * closing does nothing.
 */
@AnyThread
final class Stdout extends OutputStream {
  private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    synchronized (OUT) { // only threads of log writers call this method
      OUT.write(bytes, offset, length);
    }
  }
}
