package io.outrigger.proxy.testing;

import io.netty.channel.embedded.EmbeddedChannel;
import io.outrigger.proxy.memory.MemoryAccount;
import io.outrigger.proxy.memory.MemoryHolder;
import io.outrigger.proxy.memory.MemoryLedger;
import io.outrigger.proxy.memory.MemoryView;
import io.outrigger.proxy.memory.PeerSide;

/** A ledger of which a peer that lets nothing go holds as large a part as a test likes. */
public final class Pressure {
  private static final long LIMIT = 100L << 33;

  public final MemoryLedger ledger = new MemoryLedger(new MemoryView.Limits(LIMIT, LIMIT, LIMIT));
  private final MemoryAccount account =
      ledger.on(new EmbeddedChannel().eventLoop()).open(PeerSide.ADMIN, new Stubborn());

  /** From now on {@code percent} of the limit are held. */
  public Pressure hold(int percent) {
    account.direct(LIMIT * percent / 100 - account.directBytes());
    ledger.look();
    return this;
  }

  /** Whose part that is. */
  public MemoryAccount account() {
    return account;
  }

  private static final class Stubborn implements MemoryHolder {
    @Override
    public void letGo(long bytes) {}

    @Override
    public boolean isHeavyByReading() {
      return true;
    }

    @Override
    public void pauseReading(boolean paused) {}

    @Override
    public void onTick(long nowNanos) {}

    @Override
    public void onShort() {}

    @Override
    public boolean isShared() {
      return false;
    }

    @Override
    public String peer() {
      return "a peer that lets nothing go";
    }

    @Override
    public int streams() {
      return 0;
    }
  }
}
