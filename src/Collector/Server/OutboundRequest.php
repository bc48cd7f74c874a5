<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Collector\Response;
use Headroom\Collector\UnableToCall;
use Headroom\Http\BodyBuffer;
use Headroom\Http\MessageLimits;
use Headroom\Http\ResponseParser;
use Headroom\Http\ResponseWriter;
use Headroom\Http\Strictness;
use Headroom\Http\UnableToReadResponse;
use React\EventLoop\LoopInterface;
use React\EventLoop\TimerInterface;
use React\Socket\ConnectionInterface;

/**
 * One request to another server, from its first byte to the last byte of the response.
 *
 * @internal
 */
final class OutboundRequest
{
    private const REPEATABLE = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

    private bool $isOver = false;

    private readonly TimerInterface $timer;

    private readonly ResponseParser $parser;

    private readonly BodyBuffer $response;

    /** @var ?Closure(bool): void whether the connection can be kept */
    private ?Closure $giveBack = null;

    /**
     * @param string $bytes the request
     * @param Closure(Response): void $then
     * @param Closure(UnableToCall): void $failed
     */
    public function __construct(
        private readonly LoopInterface $loop,
        MessageLimits $limits,
        private readonly string $method,
        public readonly string $host,
        private readonly string $bytes,
        float $timeout,
        private readonly Closure $then,
        private readonly Closure $failed,
    ) {
        $this->parser = new ResponseParser($limits, Strictness::Strict);
        $this->response = new BodyBuffer;
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
    public static function encode(string $method, string $target, string $host, array $headers, string $body): string
    {
        $head = "{$method} {$target} HTTP/1.1\r\nHost: {$host}\r\nConnection: keep-alive\r\n";

        foreach ($headers as $name => $value) {
            if (! in_array(strtolower($name), ['host', 'connection', 'content-length', 'transfer-encoding'], true)) {
                // A value may come from a client, and must not begin another header.
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
     * Sends the request on this connection.
     *
     * @param Closure(bool): void $giveBack whether the connection can be kept
     * @param ?Closure(): void $retry when the connection ends before the first byte of the response
     */
    public function sendOn(ConnectionInterface $connection, Closure $giveBack, ?Closure $retry): void
    {
        $this->giveBack = $giveBack;
        $this->parser->begin($this->response, $this->method);
        $isFresh = true;

        $connection->on('data', function (string $bytes) use (&$isFresh): void {
            $isFresh = false;
            $this->read(fn (): bool => $this->parser->read($bytes));
        });
        $connection->on('close', function () use ($retry, &$isFresh): void {
            if ($isFresh && $retry !== null && ! $this->isOver) {
                $this->leave(false);
                $retry();

                return;
            }

            $this->read(function (): bool {
                $this->parser->end();

                return true;
            });
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

    /** @param Closure(): bool $isComplete whether the response is */
    private function read(Closure $isComplete): void
    {
        if ($this->isOver) {
            return;
        }

        try {
            if (! $isComplete()) {
                return;
            }
        } catch (UnableToReadResponse $e) {
            $this->fail(UnableToCall::unreadable($this->host, $e->getMessage()));

            return;
        }

        if ($this->finish()) {
            $this->leave($this->parser->keepsAlive());
            ($this->then)(new Response(
                max(200, min(599, $this->response->status)),
                $this->response->body,
                array_diff_key($this->parser->headers(), ResponseWriter::OWN_HEADERS),
            ));
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
