package io.outrigger.proxy.tls;

import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.outrigger.base.LoopConfined;
import java.nio.ByteBuffer;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * An engine whose peer cannot keep it busy when the handshake is over. The JDK bounds handshakes,
 * but neither KeyUpdate nor NewSessionTicket after them, of which each costs as much as a call.
 *
 * <ul>
 *   <li>Records without application data come from a store of {@value #MAX_SPARE}, to which every
 *       {@value #DATA_RECORDS}th record with data adds one. Honest servers send a few tickets, and
 *       a KeyUpdate after millions of records.
 *   <li>Renegotiation is an error (RFC 9113 section 9.2.1).
 * </ul>
 */
@LoopConfined
final class GuardedEngine extends SSLEngine implements ReferenceCounted {
  static final int MAX_SPARE = 32;
  static final int DATA_RECORDS = 64;

  private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

  private final SSLEngine engine;
  private final List<String> alpn;
  private boolean handshaken;
  private long handshakeBytes;
  private int spare = MAX_SPARE;
  private int data;

  /** The first record of a handshake that is under way; else empty. */
  private ByteBuffer hello = EMPTY;

  /**
   * @param alpn what it offers
   */
  GuardedEngine(SSLEngine engine, List<String> alpn) {
    super(engine.getPeerHost(), engine.getPeerPort());
    this.engine = engine;
    this.alpn = alpn;
  }

  /** Whether this is among the protocols that were offered (ALPN). */
  boolean offers(String protocol) {
    return alpn.contains(protocol);
  }

  @Override
  public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int offset, int length)
      throws SSLException {
    SSLEngineResult result = engine.unwrap(from, to, offset, length);
    if (!handshaken) {
      handshakeBytes += result.bytesConsumed();
    }
    if (handshaken && result.getStatus() == Status.OK && result.bytesConsumed() > 0) {
      onRecord(result);
    }
    noteEnd(result);
    return result;
  }

  private void noteEnd(SSLEngineResult result) {
    if (result.getHandshakeStatus() == HandshakeStatus.FINISHED) {
      handshaken = true;
      hello = EMPTY;
    }
  }

  /** The groups for key agreement that were offered; none once the handshake is over. */
  List<String> groups() {
    return hello.hasRemaining() ? ClientHello.groups(hello) : List.of();
  }

  /** How many of the peer's bytes were taken until the handshake was over. */
  long handshakeBytes() {
    return handshakeBytes;
  }

  private void onRecord(SSLEngineResult result) throws SSLException {
    if (result.bytesProduced() > 0) {
      data++;
      if (data == DATA_RECORDS) {
        data = 0;
        spare = Math.min(spare + 1, MAX_SPARE);
      }
      return;
    }
    if (isHandshake(result.getHandshakeStatus()) && isBeforeTls13()) {
      throw new SSLException("the server asks for a TLS renegotiation");
    }
    spare--;
    if (spare < 0) {
      throw new SSLException("the server sends too many TLS records without data");
    }
  }

  private static boolean isHandshake(HandshakeStatus status) {
    return status == HandshakeStatus.NEED_TASK
        || status == HandshakeStatus.NEED_WRAP
        || status == HandshakeStatus.NEED_UNWRAP;
  }

  private boolean isBeforeTls13() {
    return engine.getSession().getProtocol().equals("TLSv1.2");
  }

  @Override
  public SSLEngineResult wrap(ByteBuffer[] from, int offset, int length, ByteBuffer to)
      throws SSLException {
    int start = to.position();
    SSLEngineResult result = engine.wrap(from, offset, length, to);
    if (!handshaken && !hello.hasRemaining() && result.bytesProduced() > 0) {
      byte[] said = new byte[result.bytesProduced()];
      to.get(start, said);
      hello = ByteBuffer.wrap(said);
    }
    noteEnd(result);
    return result;
  }

  @Override
  public @Nullable Runnable getDelegatedTask() {
    return engine.getDelegatedTask();
  }

  @Override
  public void closeInbound() throws SSLException {
    engine.closeInbound();
  }

  @Override
  public boolean isInboundDone() {
    return engine.isInboundDone();
  }

  @Override
  public void closeOutbound() {
    engine.closeOutbound();
  }

  @Override
  public boolean isOutboundDone() {
    return engine.isOutboundDone();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return engine.getSupportedCipherSuites();
  }

  @Override
  public String[] getEnabledCipherSuites() {
    return engine.getEnabledCipherSuites();
  }

  @Override
  public void setEnabledCipherSuites(String[] suites) {
    engine.setEnabledCipherSuites(suites);
  }

  @Override
  public String[] getSupportedProtocols() {
    return engine.getSupportedProtocols();
  }

  @Override
  public String[] getEnabledProtocols() {
    return engine.getEnabledProtocols();
  }

  @Override
  public void setEnabledProtocols(String[] protocols) {
    engine.setEnabledProtocols(protocols);
  }

  @Override
  public SSLSession getSession() {
    return engine.getSession();
  }

  @Override
  public @Nullable SSLSession getHandshakeSession() {
    return engine.getHandshakeSession();
  }

  @Override
  public void beginHandshake() throws SSLException {
    engine.beginHandshake();
  }

  @Override
  public HandshakeStatus getHandshakeStatus() {
    return engine.getHandshakeStatus();
  }

  @Override
  public void setUseClientMode(boolean client) {
    engine.setUseClientMode(client);
  }

  @Override
  public boolean getUseClientMode() {
    return engine.getUseClientMode();
  }

  @Override
  public void setNeedClientAuth(boolean need) {
    engine.setNeedClientAuth(need);
  }

  @Override
  public boolean getNeedClientAuth() {
    return engine.getNeedClientAuth();
  }

  @Override
  public void setWantClientAuth(boolean want) {
    engine.setWantClientAuth(want);
  }

  @Override
  public boolean getWantClientAuth() {
    return engine.getWantClientAuth();
  }

  @Override
  public void setEnableSessionCreation(boolean enabled) {
    engine.setEnableSessionCreation(enabled);
  }

  @Override
  public boolean getEnableSessionCreation() {
    return engine.getEnableSessionCreation();
  }

  @Override
  public SSLParameters getSSLParameters() {
    return engine.getSSLParameters();
  }

  @Override
  public void setSSLParameters(SSLParameters parameters) {
    engine.setSSLParameters(parameters);
  }

  @Override
  public @Nullable String getApplicationProtocol() {
    return engine.getApplicationProtocol();
  }

  @Override
  public @Nullable String getHandshakeApplicationProtocol() {
    return engine.getHandshakeApplicationProtocol();
  }

  // By references the handler tells that it needs the engine no longer; it is the only one to hold
  // it.

  @Override
  public int refCnt() {
    return ReferenceCountUtil.refCnt(engine);
  }

  @Override
  public ReferenceCounted retain() {
    ReferenceCountUtil.retain(engine);
    return this;
  }

  @Override
  public ReferenceCounted retain(int increment) {
    ReferenceCountUtil.retain(engine, increment);
    return this;
  }

  @Override
  public ReferenceCounted touch() {
    ReferenceCountUtil.touch(engine);
    return this;
  }

  @Override
  public ReferenceCounted touch(Object hint) {
    ReferenceCountUtil.touch(engine, hint);
    return this;
  }

  @Override
  public boolean release() {
    return ReferenceCountUtil.release(engine);
  }

  @Override
  public boolean release(int decrement) {
    return ReferenceCountUtil.release(engine, decrement);
  }
}
