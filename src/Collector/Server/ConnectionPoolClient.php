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
 * Calls of handlers. Connections are kept for the next call to the same server; all of them count among the descriptors
 * that the worker may have, and a call for which there is none waits.
 *
 * @internal
 */
final class ConnectionPoolClient implements HttpClient
{
    /** Of one server. */
    private const MOST_IDLE = 32;

    /** For a client that leaves, too, makes room. */
    private const LOOK_SECONDS = 0.05;

    private ?ConnectorInterface $connector = null;

    /** @var SplQueue<array{string, OutboundRequest}> server and call, the first to wait first */
    private SplQueue $waiting;

    private bool $isToLook = false;

    /** @var array<string, non-empty-list<ConnectionInterface>> by server */
    private array $idle = [];

    public function __construct(
        private readonly LoopInterface $loop,
        private readonly MessageLimits $limits,
        private readonly Descriptors $descriptors,
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
            OutboundRequest::written($method, $target, $host, $headers, $body),
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
            $this->lead($server, $kept, $call, true);

            return;
        }

        if (! $this->descriptors->hasRoomForCall() && ! $this->closeOneIdle()) {
            $this->wait($server, $call);

            return;
        }

        $this->descriptors->calls++;
        $this->connector()->connect($server)->then(
            function (ConnectionInterface $connection) use ($server, $call): void {
                $call->isOver() ? $this->discard($connection) : $this->lead($server, $connection, $call, false);
            },
            function (Throwable $e) use ($call): void {
                $this->descriptors->calls--;
                $this->look(0.0);
                $call->fail(UnableToCall::notConnected($call->host, $e->getMessage()));
            },
        );
    }

    private function lead(string $server, ConnectionInterface $connection, OutboundRequest $call, bool $wasKept): void
    {
        $call->over(
            $connection,
            fn (bool $keeps) => $keeps ? $this->keep($server, $connection) : $this->discard($connection),
            // It was closed while it lay here, before anything of the answer came: that is no failure of this call.
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
        $this->look(0.0);
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
        // Whatever comes now was not asked for.
        $connection->on('data', $forget);
        $connection->on('close', $forget);
    }

    private function discard(ConnectionInterface $connection): void
    {
        $connection->removeAllListeners();
        $connection->close();
        $this->descriptors->calls--;
        $this->look(0.0);
    }

    private function wait(string $server, OutboundRequest $call): void
    {
        // More clients than that a worker never has.
        if (count($this->waiting) >= $this->descriptors->cap) {
            $this->loop->futureTick(static fn () => $call->fail(UnableToCall::tooMany()));

            return;
        }

        $this->waiting->enqueue([$server, $call]);
        $this->descriptors->waiting++;
        $this->look(self::LOOK_SECONDS);
    }

    private function look(float $in): void
    {
        if (! $this->isToLook && ! $this->waiting->isEmpty()) {
            $this->isToLook = true;
            $this->loop->addTimer($in, $this->goOn(...));
        }
    }

    private function goOn(): void
    {
        $this->isToLook = false;

        while (
            ! $this->waiting->isEmpty()
            && ($this->idle !== [] || $this->descriptors->hasRoomForCall() || $this->waiting->bottom()[1]->isOver())
        ) {
            [$server, $call] = $this->waiting->dequeue();
            $this->descriptors->waiting--;

            if (! $call->isOver()) {
                $this->send($server, $call);
            }
        }

        $this->look(self::LOOK_SECONDS);
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
            // Each call has a timeout of its own, over all of it.
            ? new Connector(['timeout' => false, 'tcp' => ['tcp_nodelay' => true]], $this->loop)
            : throw UnableToServe::missing('react/socket for calls of handlers', 'composer require react/socket:^1.16');
    }
}
