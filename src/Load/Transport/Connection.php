<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Closure;
use Headroom\Http\MessageLimits;
use Headroom\Http\ResponseParser;
use Headroom\Http\Strictness;
use Headroom\Http\UnableToReadResponse;
use Headroom\Load\Failure;
use Headroom\Load\Target;
use Headroom\Support\FileOperation;

/**
 * One connection and the exchange that it carries. No method blocks.
 *
 * @internal
 */
final class Connection
{
    private const READ_BYTES = 16_384;

    /** libcurl has this limit and the next one. */
    private const HEADER_LINE_BYTES = 102_400;

    private const HEADER_BYTES = 307_200;

    /** Most bytes per fwrite(): each call copies its substring of a long request. */
    private const WRITE_BYTES = 262_144;

    /** @var resource */
    public readonly mixed $stream;

    public readonly int $number;

    public readonly string $origin;

    public Exchange $exchange;

    /** Monotonic nanoseconds at the end of the last response. */
    public int $idleSince = 0;

    /** Whether this connection has carried an exchange before. */
    private bool $isKept = false;

    private ConnectionState $state = ConnectionState::Connecting;

    /** Bytes of the request that the kernel has accepted. */
    private int $sent = 0;

    /** The server accepts no more of the request. Its response may have come already. */
    private bool $isUnsendable = false;

    private bool $isReset = false;

    private readonly ResponseParser $parser;

    /**
     * @param list<string> $others addresses to try if this one does not accept the connection
     * @param resource $context
     *
     * @throws UnableToExchange
     */
    public function __construct(
        private readonly Target $target,
        public readonly string $address,
        public readonly array $others,
        mixed $context,
    ) {
        $stream = @stream_socket_client(
            "tcp://{$address}:{$target->port}",
            $errno,
            $reason,
            null,
            STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT,
            $context,
        );

        if ($stream === false) {
            // PHP has no message for a failed socket().
            throw UnableToExchange::notConnected(
                "{$address}:{$target->port}",
                (int) $errno,
                (int) $errno === 0
                    ? 'the system has no free socket: check the limit of open files (ulimit -n)'
                    : (string) $reason,
            );
        }

        stream_set_blocking($stream, false);
        $this->stream = $stream;
        $this->number = (int) $stream;
        $this->origin = $target->origin;
        $this->parser = new ResponseParser(
            new MessageLimits(self::HEADER_LINE_BYTES, self::HEADER_BYTES, PHP_INT_MAX, PHP_INT_MAX),
            Strictness::Lenient,
        );

        if (! $target->isTls) {
            stream_set_read_buffer($stream, 0);
        }
    }

    /** Sends the request as soon as the connection is open. */
    public function carry(Exchange $exchange): void
    {
        $this->exchange = $exchange;
        $this->parser->begin($exchange, $exchange->method);
        $this->sent = 0;

        if ($this->state === ConnectionState::Open) {
            $this->send();
        }
    }

    public function wantsToRead(): bool
    {
        return $this->state !== ConnectionState::Connecting;
    }

    public function wantsToWrite(): bool
    {
        return $this->state === ConnectionState::Connecting
            || ($this->state === ConnectionState::Open && $this->hasMore());
    }

    public function isOpen(): bool
    {
        return $this->state === ConnectionState::Open;
    }

    public function isConnecting(): bool
    {
        return $this->state === ConnectionState::Connecting;
    }

    /**
     * @param int $now Clock::monotonicNanos()
     *
     * @throws UnableToExchange
     */
    public function write(int $now): void
    {
        if ($this->state === ConnectionState::Connecting) {
            $this->requirePeer();
            $this->exchange->connected = $now;
            $this->exchange->connections++;
            $this->state = $this->target->isTls ? ConnectionState::Securing : ConnectionState::Open;
        }

        if ($this->state === ConnectionState::Securing) {
            $this->secure();
        }

        if ($this->state === ConnectionState::Open) {
            $this->send();
        }
    }

    /**
     * @param string $data from read()
     * @param int $now Clock::monotonicNanos()
     * @return bool whether the response is complete
     *
     * @throws UnableToExchange
     */
    public function receive(string $data, int $now): bool
    {
        if ($this->exchange->firstByte === 0) {
            $this->exchange->firstByte = $now;
        }

        try {
            return $this->parser->read($data);
        } catch (UnableToReadResponse $e) {
            throw UnableToExchange::unreadable($e);
        }
    }

    /**
     * @return ?string the bytes that have come, perhaps none; null at the end of the stream
     *
     * @throws UnableToExchange
     */
    public function read(): ?string
    {
        if ($this->state === ConnectionState::Securing) {
            $this->write(0);

            return '';
        }

        $data = $this->target->isTls ? $this->readSecure() : @fread($this->stream, self::READ_BYTES);

        if ($data === false) {
            $this->isReset = true;

            return null;
        }

        return $data === '' && feof($this->stream) ? null : $data;
    }

    /**
     * The server has closed the connection, which ends a response of unknown length.
     *
     * @throws UnableToExchange
     */
    public function end(): void
    {
        if ($this->isReset) {
            throw UnableToExchange::reset();
        }

        try {
            $this->parser->end();
        } catch (UnableToReadResponse $e) {
            // The kernel reports a reset once: after a failed write, read() sees only the end of the stream.
            throw $this->isUnsendable ? UnableToExchange::reset() : UnableToExchange::unreadable($e);
        }
    }

    /**
     * Whether the request may be sent again on another connection: a kept connection ended before the first byte of the
     * response, so the server had closed it.
     */
    public function mayResend(): bool
    {
        return $this->isKept && $this->exchange->firstByte === 0;
    }

    public function hasSent(): bool
    {
        return $this->sent > 0;
    }

    /** Call it after a complete response. Returns whether the connection can carry another exchange. */
    public function keep(int $now): bool
    {
        $this->isKept = true;
        $this->idleSince = $now;

        return $this->sent === strlen($this->exchange->text)
            && ! $this->exchange->isLast
            && $this->parser->keepsAlive();
    }

    /** Whether the server has neither closed the connection nor sent anything while no exchange used it. */
    public function isAlive(): bool
    {
        return @fread($this->stream, 1) === '' && ! feof($this->stream);
    }

    public function timeout(): Failure
    {
        return match (true) {
            $this->state !== ConnectionState::Open => Failure::TimeoutConnecting,
            $this->exchange->firstByte === 0 => Failure::TimeoutWaiting,
            default => Failure::TimeoutReceiving,
        };
    }

    public function close(): void
    {
        fclose($this->stream);
    }

    private function hasMore(): bool
    {
        return ! $this->isUnsendable && $this->sent < strlen($this->exchange->text);
    }

    private function send(): void
    {
        if (! $this->hasMore()) {
            return;
        }

        $text = $this->exchange->text;
        $sent = @fwrite(
            $this->stream,
            strlen($text) <= self::WRITE_BYTES && $this->sent === 0
                ? $text
                : substr($text, $this->sent, self::WRITE_BYTES),
        );

        if ($sent === false) {
            $this->isUnsendable = true;
        } else {
            $this->sent += $sent;
        }
    }

    /** After a failed connect() the socket has no peer, and a write reports the reason. */
    private function requirePeer(): void
    {
        if (stream_socket_get_name($this->stream, true) !== false) {
            return;
        }

        $reason = '';
        FileOperation::run(fn (): int|false => fwrite($this->stream, "\r\n"), $reason);
        $isKnown = preg_match('/errno=(\d+) (.+)\z/', $reason, $m) === 1;

        throw UnableToExchange::notConnected(
            "{$this->address}:{$this->target->port}",
            $isKnown ? (int) $m[1] : 0,
            $isKnown ? $m[2] : '',
        );
    }

    private function secure(): void
    {
        if (! extension_loaded('openssl')) {
            throw UnableToExchange::missingOpenssl();
        }

        $isSecure = $this->attempt(
            fn (): bool|int => stream_socket_enable_crypto($this->stream, true, STREAM_CRYPTO_METHOD_TLS_CLIENT),
            $warnings,
        );

        if ($isSecure === false) {
            throw UnableToExchange::tls($this->target, TlsFailure::of($warnings));
        }

        $this->state = $isSecure === true ? ConnectionState::Open : ConnectionState::Securing;
    }

    /** In TLS 1.3 a server can refuse the client after the handshake: the alert comes with the first read. */
    private function readSecure(): string|false
    {
        $data = $this->attempt(fn (): string|false => fread($this->stream, self::READ_BYTES), $warnings);
        $failure = $warnings === [] ? null : TlsFailure::of($warnings);

        if ($failure?->alert !== null && $this->exchange->firstByte === 0) {
            throw UnableToExchange::tls($this->target, $failure);
        }

        return $data;
    }

    /**
     * @template TResult
     *
     * @param Closure(): TResult $call
     * @param list<string> $warnings
     *
     * @param-out list<string> $warnings
     *
     * @return TResult
     */
    private function attempt(Closure $call, ?array &$warnings = null): mixed
    {
        $warnings = [];
        set_error_handler(static function (int $level, string $message) use (&$warnings): bool {
            $warnings[] = $message;

            return true;
        });

        try {
            return $call();
        } finally {
            restore_error_handler();
        }
    }
}
