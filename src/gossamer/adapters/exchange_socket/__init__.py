"""Port `exchange` between the workers of one machine: Unix sockets, one message a frame."""

from gossamer.adapters.exchange_socket.exchange import SocketExchange

__all__ = ["SocketExchange"]
