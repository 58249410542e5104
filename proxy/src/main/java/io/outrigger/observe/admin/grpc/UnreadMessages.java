package io.outrigger.observe.admin.grpc;

import com.google.protobuf.MessageLite;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.outrigger.base.AnyThread;
import io.outrigger.observe.admin.AdminBudget;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the messages of each call until the call is ready for more or has ended. While the peer
 * does not read or sends no flow-control credit, the transport buffers these messages. When the
 * budget ends a call, the whole connection of the call is closed, since nothing else frees messages
 * in the transport.
 */
@AnyThread
final class UnreadMessages implements ServerInterceptor {
  private final AdminBudget budget;
  private final Consumer<SocketAddress> closeConnectionOf;

  UnreadMessages(AdminBudget budget, Consumer<SocketAddress> closeConnectionOf) {
    this.budget = budget;
    this.closeConnectionOf = closeConnectionOf;
  }

  @Override
  public <Q, T> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, T> call, Metadata headers, ServerCallHandler<Q, T> next) {
    SocketAddress peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    var counted = new Counted(budget.reader(() -> close(peer)));
    return new SimpleForwardingServerCallListener<Q>(
        next.startCall(
            new SimpleForwardingServerCall<Q, T>(call) {
              @Override
              public void sendMessage(T message) {
                counted.add(message);
                super.sendMessage(message);
                if (isReady()) {
                  counted.clear();
                }
              }
            },
            headers)) {
      @Override
      public void onReady() {
        counted.clear();
        super.onReady();
      }

      @Override
      public void onComplete() {
        counted.clear();
        super.onComplete();
      }

      @Override
      public void onCancel() {
        counted.clear();
        super.onCancel();
      }
    };
  }

  private void close(@Nullable SocketAddress peer) {
    if (peer != null) {
      closeConnectionOf.accept(peer);
    }
  }

  /** The messages that one call has sent and its peer may not have read yet. */
  @AnyThread
  private static final class Counted {
    private final AdminBudget.Reader reader;
    private final AtomicLong bytes = new AtomicLong();

    Counted(AdminBudget.Reader reader) {
      this.reader = reader;
    }

    void add(@Nullable Object message) {
      if (message instanceof MessageLite sized) {
        int size = sized.getSerializedSize();
        bytes.addAndGet(size);
        reader.add(size);
      }
    }

    void clear() {
      reader.release(bytes.getAndSet(0));
    }
  }
}
