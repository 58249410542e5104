package io.outrigger.http2;

import io.netty.channel.EventLoop;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Exhaustion;
import java.util.ArrayList;
import java.util.List;

/** Memory that is short when the test says so, with the connections that hold it. */
@AnyThread
final class FakeMemory implements ProcessMemory {
  final List<MemoryHolder> holders = new ArrayList<>();
  final List<Throwable> failures = new ArrayList<>();
  boolean isShort;
  boolean isFull;
  long read;

  @Override
  public boolean isShort() {
    return isShort;
  }

  @Override
  public boolean isUsedUp() {
    return false;
  }

  @Override
  public Accounts open(MemoryHolder connection, EventLoop loop) {
    if (isFull) {
      throw new OutOfMemoryError("in a test");
    }
    holders.add(connection);
    return new Accounts() {
      @Override
      public boolean mayRead(MemoryHolder of) {
        return true;
      }

      @Override
      public void onRead(MemoryHolder of, int bytes) {
        read += bytes;
      }

      @Override
      public void close(MemoryHolder of) {
        holders.remove(connection);
      }
    };
  }

  @Override
  public boolean onFailure(Throwable failure) {
    failures.add(failure);
    return Exhaustion.isOutOfMemory(failure);
  }

  /** The only connection. */
  MemoryHolder holder() {
    if (holders.size() != 1) {
      throw new AssertionError("not one connection: " + holders);
    }
    return holders.get(0);
  }

  FakeMemory shortOf() {
    isShort = true;
    return this;
  }
}
