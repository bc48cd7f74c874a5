<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\HttpClient;
use Headroom\Collector\UnableToCall;
use Headroom\Http\MessageLimits;
use React\EventLoop\LoopInterface;
use React\Socket\ConnectionInterface;
use React\Socket\Connector;
use React\Socket\ConnectorInterface;
use SplQueue;
use Throwable;

/**
 * Sends the requests of handlers. It keeps connections for the next request to the same server. All connections count
 * towards the worker's descriptors; a request waits until one is free.
 *
 * @internal
 */
final class ConnectionPoolClient implements HttpClient
{
    /** Of one server. */
    private const MOST_IDLE = 32;

    /** A client that disconnects frees a descriptor too, without an event for this class. */
    private const RETRY_SECONDS = 0.05;

    private ?ConnectorInterface $connector = null;

    /** @var SplQueue<array{string, OutboundRequest}> server and request, in order of arrival */
    private SplQueue $waiting;

    private bool $isRetryDue = false;

    /** @var array<string, non-empty-list<ConnectionInterface>> by server */
    private array $idle = [];

    public function __construct(
        private readonly LoopInterface $loop,
        private readonly MessageLimits $limits,
        private readonly FileDescriptorBudget $descriptors,
    ) {
        $this->waiting = new SplQueue;
    }

    public function call(
        string $method,
        string $url,
        array $headers,
        string $body,
        float $timeout,
        Closure $then,
        Closure $failed,
    ): void {
        $parts = parse_url($url);
        $scheme = $parts === false ? '' : strtolower($parts['scheme'] ?? '');

        if (
            $parts === false
            || ! isset($parts['host'])
            || ! in_array($scheme, ['http', 'https'], true)
            || preg_match('/[\x00-\x20\x7F]/', $url) === 1
        ) {
            $this->loop->futureTick(static fn () => $failed(UnableToCall::notAUrl($url)));

            return;
        }

        $port = $parts['port'] ?? ($scheme === 'https' ? 443 : 80);
        $server = ($scheme === 'https' ? 'tls' : 'tcp')."://{$parts['host']}:{$port}";
        $target = ($parts['path'] ?? '/').(isset($parts['query']) ? "?{$parts['query']}" : '');
        $host = $parts['host'].(isset($parts['port']) ? ":{$port}" : '');
        $call = new OutboundRequest(
            $this->loop,
            $this->limits,
            $method,
            $host,
            OutboundRequest::encode($method, $target, $host, $headers, $body),
            $timeout,
            $then,
            $failed,
        );
        $this->send($server, $call);
    }

    private function send(string $server, OutboundRequest $call): void
    {
        $kept = $this->takeIdle($server);

        if ($kept !== null) {
            $kept->removeAllListeners();
            $this->sendOn($server, $kept, $call, true);

            return;
        }

        if (! $this->descriptors->hasRoomForOutboundConnection() && ! $this->closeOneIdle()) {
            $this->wait($server, $call);

            return;
        }

        $this->descriptors->outboundConnections++;
        $this->connector()->connect($server)->then(
            function (ConnectionInterface $connection) use ($server, $call): void {
                $call->isOver() ? $this->discard($connection) : $this->sendOn($server, $connection, $call, false);
            },
            function (Throwable $e) use ($call): void {
                $this->descriptors->outboundConnections--;
                $this->retryIn(0.0);
                $call->fail(UnableToCall::notConnected($call->host, $e->getMessage()));
            },
        );
    }

    private function sendOn(string $server, ConnectionInterface $connection, OutboundRequest $call, bool $wasKept): void
    {
        $call->sendOn(
            $connection,
            fn (bool $keeps) => $keeps ? $this->keep($server, $connection) : $this->discard($connection),
            // The server may have closed a kept connection before it saw this request: send it again on another one.
            $wasKept && $call->isRepeatable() ? fn () => $this->send($server, $call) : null,
        );
    }

    private function keep(string $server, ConnectionInterface $connection): void
    {
        $connection->removeAllListeners();

        if (count($this->idle[$server] ?? []) >= self::MOST_IDLE || ! $connection->isWritable()) {
            $this->discard($connection);

            return;
        }

        $this->idle[$server][] = $connection;
        $this->retryIn(0.0);
        $forget = function () use ($server, $connection): void {
            $this->leave(
                $server,
                array_values(array_filter(
                    $this->idle[$server] ?? [],
                    static fn (ConnectionInterface $one): bool => $one !== $connection,
                )),
            );
            $this->discard($connection);
        };
        // No request is pending, so any byte means that the connection is out of step.
        $connection->on('data', $forget);
        $connection->on('close', $forget);
    }

    private function discard(ConnectionInterface $connection): void
    {
        $connection->removeAllListeners();
        $connection->close();
        $this->descriptors->outboundConnections--;
        $this->retryIn(0.0);
    }

    private function wait(string $server, OutboundRequest $call): void
    {
        // A worker never has more clients than that.
        if (count($this->waiting) >= $this->descriptors->cap) {
            $this->loop->futureTick(static fn () => $call->fail(UnableToCall::tooMany()));

            return;
        }

        $this->waiting->enqueue([$server, $call]);
        $this->descriptors->waiting++;
        $this->retryIn(self::RETRY_SECONDS);
    }

    private function retryIn(float $seconds): void
    {
        if (! $this->isRetryDue && ! $this->waiting->isEmpty()) {
            $this->isRetryDue = true;
            $this->loop->addTimer($seconds, $this->retry(...));
        }
    }

    private function retry(): void
    {
        $this->isRetryDue = false;

        while (
            ! $this->waiting->isEmpty()
            && ($this->idle !== []
                || $this->descriptors->hasRoomForOutboundConnection()
                || $this->waiting->bottom()[1]->isOver())
        ) {
            [$server, $call] = $this->waiting->dequeue();
            $this->descriptors->waiting--;

            if (! $call->isOver()) {
                $this->send($server, $call);
            }
        }

        $this->retryIn(self::RETRY_SECONDS);
    }

    private function takeIdle(string $server): ?ConnectionInterface
    {
        $there = $this->idle[$server] ?? [];
        $kept = array_pop($there);
        $this->leave($server, $there);

        return $kept;
    }

    /** @param list<ConnectionInterface> $connections */
    private function leave(string $server, array $connections): void
    {
        if ($connections === []) {
            unset($this->idle[$server]);
        } else {
            $this->idle[$server] = $connections;
        }
    }

    private function closeOneIdle(): bool
    {
        $server = array_key_first($this->idle);
        $connection = $server === null ? null : $this->takeIdle($server);

        if ($connection !== null) {
            $this->discard($connection);
        }

        return $connection !== null;
    }

    private function connector(): ConnectorInterface
    {
        return $this->connector ??= class_exists(Connector::class)
            // Each request has one timeout for the whole exchange.
            ? new Connector(['timeout' => false, 'tcp' => ['tcp_nodelay' => true]], $this->loop)
            : throw UnableToServe::missing('react/socket for calls of handlers', 'composer require react/socket:^1.16');
    }
}
