<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;

/**
 * A small client for Redis. The doctor runs on machines without phpredis and Predis, and the pools, retries and
 * prefixes of these clients would hide the behaviour of the server.
 *
 * @internal
 */
final class RedisClient
{
    private const SECONDS = 2.0;

    private const CONVERSATION_NANOS = 5_000_000_000;

    private const MOST_BYTES = 4_194_304;

    private const MAX_LINE_BYTES = 65_536;

    private const PIECE = 8_192;

    /** The most elements of all lists together. */
    private const MOST_ELEMENTS = 100_000;

    /** The most bytes of all replies together. */
    private const BUDGET_BYTES = 16_777_216;

    private int $left = self::BUDGET_BYTES;

    /** The elements that lists may still have: an element takes more memory here than on the wire. */
    private int $elements = self::MOST_ELEMENTS;

    private string $unread = '';

    /** @param resource $stream */
    private function __construct(
        private $stream,
        private readonly string $place,
        private readonly Clock $clock,
        private readonly int $until,
        private readonly float $seconds,
    ) {}

    /**
     * @param string $place tcp://host:port, tls://host:port or unix:///path
     * @param float $seconds timeout of connecting, and of each piece of a reply
     *
     * @throws FactUnavailable
     */
    public static function to(string $place, Clock $clock = new SystemClock, float $seconds = self::SECONDS): self
    {
        $stream = @stream_socket_client($place, $code, $message, $seconds);

        if ($stream === false) {
            throw UnreadableRedis::notConnected($place, (string) $message);
        }

        stream_set_timeout($stream, (int) $seconds, (int) (1e6 * ($seconds - (int) $seconds)));

        // A timeout for all commands together: a server that sends a byte now and then would block the doctor forever.
        return new self($stream, $place, $clock, $clock->monotonicNanos() + self::CONVERSATION_NANOS, $seconds);
    }

    /**
     * @return string|int|list<mixed>|null as the server answers, without its words of success
     *
     * @throws FactUnavailable
     */
    public function ask(string ...$words): string|int|array|null
    {
        $text = '*'.count($words)."\r\n";

        foreach ($words as $word) {
            $text .= '$'.strlen($word)."\r\n{$word}\r\n";
        }

        if (@fwrite($this->stream, $text) !== strlen($text)) {
            throw UnreadableRedis::cut($this->place, $words[0] ?? '', $this->seconds);
        }

        // AUTH has a password among its arguments.
        return $this->answer(implode(' ', $words[0] === 'AUTH' ? ['AUTH'] : $words), 0);
    }

    /** @return ?string address and port of the server, as sockets have them; null of a socket with a path */
    public function peer(): ?string
    {
        $peer = stream_socket_get_name($this->stream, true);

        return $peer === false || $peer === '' || ! str_contains($peer, ':') || str_contains($peer, '/') ? null : $peer;
    }

    public function close(): void
    {
        fclose($this->stream);
    }

    /** @return string|int|list<mixed>|null */
    private function answer(string $question, int $depth): string|int|array|null
    {
        $line = $this->line($question);
        $rest = substr($line, 1);

        return match ($line[0] ?? '') {
            '+' => $rest,
            '-' => throw UnreadableRedis::refused($this->place, $question, $rest),
            ':' => (int) $rest,
            '$' => (int) $rest < 0 ? null : $this->bytes($question, (int) $rest),
            '*' => (int) $rest < 0 ? null : $this->elements($question, (int) $rest, $depth),
            default => throw UnreadableRedis::strange($this->place, $line),
        };
    }

    /** @return list<mixed> */
    private function elements(string $question, int $count, int $depth): array
    {
        $this->elements -= max(0, $count);

        if ($this->elements < 0 || $depth > 8) {
            throw UnreadableRedis::strange($this->place, "a list of {$count}");
        }

        $elements = [];

        for ($i = 0; $i < $count; $i++) {
            $elements[] = $this->answer($question, $depth + 1);
        }

        return $elements;
    }

    private function bytes(string $question, int $length): string
    {
        if ($length > self::MOST_BYTES) {
            throw UnreadableRedis::strange($this->place, "a text of {$length} bytes");
        }

        while (strlen($this->unread) < $length + 2) {
            $this->more($question) || throw UnreadableRedis::cut($this->place, $question, $this->seconds);
        }

        return substr($this->taken($length + 2), 0, -2);
    }

    private function spend(string $question, int $bytes): void
    {
        $this->left -= $bytes;

        if ($this->left < 0) {
            throw UnreadableRedis::strange($this->place, 'answers of more than '.self::BUDGET_BYTES.' bytes');
        }

        if ($this->clock->monotonicNanos() > $this->until) {
            throw UnreadableRedis::tooSlow($this->place, $question, intdiv(self::CONVERSATION_NANOS, 1_000_000_000));
        }
    }

    private function line(string $question): string
    {
        // Not fgets(): a byte now and then without a newline would block it forever, and it handles no signal.
        while (! str_contains($this->unread, "\r\n")) {
            if (strlen($this->unread) > self::MAX_LINE_BYTES || ! $this->more($question)) {
                throw $this->unread === '' || stream_get_meta_data($this->stream)['timed_out']
                    ? UnreadableRedis::cut($this->place, $question, $this->seconds)
                    : UnreadableRedis::strange($this->place, substr($this->unread, 0, 40));
            }
        }

        return substr($this->taken((int) strpos($this->unread, "\r\n") + 2), 0, -2);
    }

    /** Waits for data until the timeout; false without data. */
    private function more(string $question): bool
    {
        $piece = (string) fread($this->stream, self::PIECE);
        $this->spend($question, strlen($piece));
        $this->unread .= $piece;

        return $piece !== '';
    }

    private function taken(int $length): string
    {
        $taken = substr($this->unread, 0, $length);
        $this->unread = substr($this->unread, $length);

        return $taken;
    }
}
