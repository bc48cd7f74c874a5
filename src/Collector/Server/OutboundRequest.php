<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\Response;
use Headroom\Collector\UnableToCall;
use Headroom\Http\MessageLimits;
use Headroom\Http\ResponseParser;
use Headroom\Http\UnableToReadResponse;
use React\EventLoop\LoopInterface;
use React\EventLoop\TimerInterface;
use React\Socket\ConnectionInterface;

/**
 * One call to another server, from its first byte to its last.
 *
 * @internal
 */
final class OutboundRequest
{
    private const REPEATABLE = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

    private bool $isOver = false;

    private readonly TimerInterface $timer;

    /** @var ?Closure(bool): void what becomes of the connection: whether it can be kept */
    private ?Closure $giveBack = null;

    /**
     * @param string $bytes the request
     * @param Closure(Response): void $then
     * @param Closure(UnableToCall): void $failed
     */
    public function __construct(
        private readonly LoopInterface $loop,
        private readonly MessageLimits $limits,
        private readonly string $method,
        public readonly string $host,
        private readonly string $bytes,
        float $timeout,
        private readonly Closure $then,
        private readonly Closure $failed,
    ) {
        $this->timer = $loop->addTimer(
            $timeout,
            fn () => $this->fail(
                $this->giveBack === null
                    ? UnableToCall::notConnectedInTime($this->host, $timeout)
                    : UnableToCall::tooSlow($this->host, $timeout),
            ),
        );
    }

    /** @param array<string, string> $headers by name */
    public static function written(string $method, string $target, string $host, array $headers, string $body): string
    {
        $head = "{$method} {$target} HTTP/1.1\r\nHost: {$host}\r\nConnection: keep-alive\r\n";

        foreach ($headers as $name => $value) {
            if (! in_array(strtolower($name), ['host', 'connection', 'content-length', 'transfer-encoding'], true)) {
                // What a client sent may be in it, and must not begin another header.
                $head .= preg_replace('/[^!#$%&\'*+.^_`|~0-9A-Za-z-]/', '', $name).': '
                    .preg_replace('/[\x00-\x08\x0A-\x1F\x7F]/', ' ', $value)."\r\n";
            }
        }

        return $head
            .($body === '' && in_array($method, ['GET', 'HEAD', 'OPTIONS', 'DELETE'], true)
                ? ''
                : 'Content-Length: '.strlen($body)."\r\n")
            ."\r\n{$body}";
    }

    public function isOver(): bool
    {
        return $this->isOver;
    }

    public function isRepeatable(): bool
    {
        return in_array($this->method, self::REPEATABLE, true);
    }

    /**
     * @param Closure(bool): void $giveBack whether the connection can be kept
     * @param ?Closure(): void $again when the connection ends before anything has come
     */
    public function over(ConnectionInterface $connection, Closure $giveBack, ?Closure $again): void
    {
        $this->giveBack = $giveBack;
        $parser = new ResponseParser($this->limits, $this->method);
        $isFresh = true;

        $connection->on('data', function (string $bytes) use ($parser, &$isFresh): void {
            $isFresh = false;
            $parser->feed($bytes);
            $this->read(static fn (): ?Response => $parser->next(), $parser);
        });
        $connection->on('close', function () use ($parser, $again, &$isFresh): void {
            if ($isFresh && $again !== null && ! $this->isOver) {
                $this->leave(false);
                $again();

                return;
            }

            $this->read(static fn (): ?Response => $parser->end(), $parser);
            $this->fail(UnableToCall::cutOff($this->host));
        });
        $connection->write($this->bytes);
    }

    public function fail(UnableToCall $why): void
    {
        if ($this->finish()) {
            $this->leave(false);
            ($this->failed)($why);
        }
    }

    /** @param Closure(): ?Response $next */
    private function read(Closure $next, ResponseParser $parser): void
    {
        if ($this->isOver) {
            return;
        }

        try {
            $response = $next();
        } catch (UnableToReadResponse $e) {
            $this->fail(UnableToCall::unreadable($this->host, $e->getMessage()));

            return;
        }

        if ($response !== null && $this->finish()) {
            $this->leave($parser->keepsAlive());
            ($this->then)($response);
        }
    }

    private function finish(): bool
    {
        if ($this->isOver) {
            return false;
        }

        $this->loop->cancelTimer($this->timer);

        return $this->isOver = true;
    }

    private function leave(bool $keeps): void
    {
        $giveBack = $this->giveBack;
        $this->giveBack = null;
        $giveBack?->__invoke($keeps);
    }
}
