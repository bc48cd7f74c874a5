<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Redis;

use function count;
use function fclose;
use function fgets;
use function fwrite;
use function implode;
use function str_ends_with;
use function stream_get_contents;
use function stream_get_meta_data;
use function stream_set_timeout;
use function stream_socket_client;
use function strlen;
use function substr;

/**
 * Asks a Redis server a few questions: the doctor runs where neither phpredis nor Predis may be, and none of what these do for an
 * application (pools, retries, prefixes) may stand between it and the server.
 *
 * @internal
 */
final class Wire
{
    private const SECONDS = 2.0;

    private const MOST_BYTES = 4_194_304;

    private const MOST_ELEMENTS = 100_000;

    /** @param resource $stream */
    private function __construct(private $stream, private readonly string $place) {}

    /**
     * @param string $place tcp://host:port, tls://host:port or unix:///path
     *
     * @throws UnableToAsk
     */
    public static function to(string $place): self
    {
        $stream = @stream_socket_client($place, $code, $message, self::SECONDS);

        if ($stream === false) {
            throw UnableToAsk::notConnected($place, (string) $message);
        }

        stream_set_timeout($stream, (int) self::SECONDS);

        return new self($stream, $place);
    }

    /**
     * @return string|int|list<mixed>|null as the server answers, without its words of success
     *
     * @throws UnableToAsk
     */
    public function ask(string ...$words): string|int|array|null
    {
        $text = '*'.count($words)."\r\n";

        foreach ($words as $word) {
            $text .= '$'.strlen($word)."\r\n{$word}\r\n";
        }

        if (@fwrite($this->stream, $text) !== strlen($text)) {
            throw UnableToAsk::cut($this->place, $words[0] ?? '');
        }

        // A password is among the words of AUTH.
        return $this->answer(implode(' ', $words[0] === 'AUTH' ? ['AUTH'] : $words), 0);
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
            '-' => throw UnableToAsk::refused($this->place, $question, $rest),
            ':' => (int) $rest,
            '$' => (int) $rest < 0 ? null : $this->bytes($question, (int) $rest),
            '*' => (int) $rest < 0 ? null : $this->elements($question, (int) $rest, $depth),
            default => throw UnableToAsk::strange($this->place, $line),
        };
    }

    /** @return list<mixed> */
    private function elements(string $question, int $count, int $depth): array
    {
        if ($count > self::MOST_ELEMENTS || $depth > 8) {
            throw UnableToAsk::strange($this->place, "a list of {$count}");
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
            throw UnableToAsk::strange($this->place, "a text of {$length} bytes");
        }

        $text = (string) stream_get_contents($this->stream, $length + 2);

        return strlen($text) === $length + 2 ? substr($text, 0, -2) : throw UnableToAsk::cut($this->place, $question);
    }

    private function line(string $question): string
    {
        $line = fgets($this->stream, 65_536);

        if ($line === false || ! str_ends_with($line, "\r\n")) {
            $isSlow = stream_get_meta_data($this->stream)['timed_out'];

            throw $isSlow || $line === false ? UnableToAsk::cut($this->place, $question) : UnableToAsk::strange($this->place, substr($line, 0, 40));
        }

        return substr($line, 0, -2);
    }
}
